#!/bin/sh
cat > /dev/null
if [ -f .agents/skills/greeter/SKILL.md ]; then echo hello > greeting.txt; fi
echo '{"type": "ModelRequested", "model": "m-1"}'
echo '{"type": "TurnEnded", "answer": "done"}'
echo '{"type": "SessionEnded", "ending": "completed"}'
