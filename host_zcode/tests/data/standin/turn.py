"""One turn of the stand-in: the model is asked, its calls are carried out, until it wants no more."""

import json
import os
import subprocess
import uuid
from pathlib import Path

from .model import Endpoint, ModelFailed, Scripted
from .rules import fits
from .tools import EDITS, HttpServer, StdioServer, ToolFailed, Tools, described

SCHEMA = "Tool input failed inputSchema validation"


class Stopped(Exception):
    """The turn was stopped."""


class Turn:
    """What happens between a prompt and the end of its turn."""

    def __init__(self, session, given):
        self.session = session
        self.given = given
        self.switches = session.server.switches
        self.kept = session.kept
        self.id = f"turn_{uuid.uuid4()}"
        self.made = 0
        self.spent = [0, 0, 0]
        self.tools = None

    def tell(self, kind, payload):
        self.session.event(kind, payload, self.id)

    def run(self):
        """True where it completed."""
        try:
            model = self._model()
        except ModelFailed as failed:
            self._failed(failed.error, "model_creation")
            return False
        self.kept["turns"] += 1
        if self.switches.background:
            self._own_turn()
        self.tell(
            "turn.started",
            {"turnNumber": self.kept["turns"], "input": self.given["content"], "messageId": "msg_u"}
            | ({"inputId": self.given["inputId"]} if "inputId" in self.given else {}),
        )
        if self.switches.strange:
            self.tell("kit.neverHeardOf", {"deep": [1, 2]})
        if self.switches.hang:
            self.session.stopped.wait()
        try:
            answer = self._answered(model)
        except ModelFailed as failed:
            self._failed(failed.error, "model")
            return False
        except Stopped:
            self._completed("", "cancelled")
            return True
        if self.switches.background:
            self._own_turn()
        self._completed(answer, self.switches.result)
        return True

    def _model(self):
        from .session import personal

        if self.switches.no_model:
            raise ModelFailed(type="configuration_error", message="Model creation failed: select a model")
        if self.switches.script is not None:
            return Scripted(self.switches.script, self.kept["turns"])
        chosen, told = self.given.get("modelSelection") or self.kept["model"], personal()
        rules = told["providerConfigRules"]["providerRules"] if told else []
        rule = next((one for one in rules if chosen and one["providerId"] == chosen["providerId"]), None)
        if rule is None or chosen["modelId"] not in rule["config"]["personalModelIds"]:
            raise ModelFailed(type="configuration_error", message="No model: select a model")
        return Endpoint(rule, chosen["modelId"])

    def _own_turn(self):
        """A turn that nobody asked for."""
        name = f"turn_{uuid.uuid4()}"
        about = {"turnNumber": 0, "input": "A task has ended.", "inputSource": "background_task"}
        self.session.event("turn.started", about, name)
        self.session.event("turn.completed", {"response": "Noted.", "resultType": "success", "toolCallCount": 0}, name)

    def _answered(self, model):
        from .session import skills

        session = self.session
        self.tools = Tools(session.project, skills(session.server.home, session.project))
        self._connect()
        messages = self.kept["messages"]
        if not messages:
            messages.append({"role": "system", "content": "You are a coding agent that stands in for another one."})
        listed = "".join(f"\n- {name}: {described(folder)}" for name, folder in self.tools.skills.items())
        reminder = f"<system-reminder>Skills:{listed}</system-reminder>" if listed else ""
        parts = [{"type": "text", "text": one} for one in (reminder, self.given["content"]) if one]
        parts += [{"type": "text", "text": one} for one in self._hooked()]
        messages.append({"role": "user", "content": parts})
        while True:
            reply = self._asked(model, messages)
            if not reply.calls:
                messages.append({"role": "assistant", "content": reply.text})
                return reply.text
            calls = [
                {"id": id, "type": "function", "function": {"name": name, "arguments": given}}
                for id, name, given in reply.calls
            ]
            messages.append({"role": "assistant", "content": reply.text or None, "tool_calls": calls})
            for id, name, given in reply.calls:
                messages.append({"role": "tool", "tool_call_id": id, "content": self._called(id, name, given)})

    def _hooked(self):
        """What hooks of plugins put beside a prompt."""
        from .session import plugins

        for plugin in plugins(self.session.server.home)["plugins"]:
            root = Path(plugin["rootPath"])
            file = root / "hooks/hooks.json"
            told = json.loads(file.read_text("utf-8"))["hooks"] if file.is_file() else {}
            for hook in (one for group in told.get("UserPromptSubmit", []) for one in group["hooks"]):
                command = hook["command"].replace("${CLAUDE_PLUGIN_ROOT}", str(root))
                given = {"session_id": self.session.id, "cwd": str(self.session.project)}
                done = subprocess.run(
                    ["/bin/sh", "-c", command], cwd=self.session.project, text=True, check=False, capture_output=True,
                    input=json.dumps({**given, "prompt": self.given["content"]}), timeout=hook.get("timeout", 20),
                    env={**os.environ, "CLAUDE_PLUGIN_ROOT": str(root), "ZCODE_PLUGIN_ROOT": str(root)},
                )  # fmt: skip
                self.tell("session.updated", {"type": "hook_run_completed", "exitCode": done.returncode})
                try:
                    yield json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
                except (ValueError, KeyError):
                    continue

    def _connect(self):
        from .session import plugins

        told = {one["name"]: one for one in self.session.servers}
        for plugin in plugins(self.session.server.home)["plugins"]:
            told |= {name: {"url": url} for name, url in plugin["servers"].items()}
        for name, one in told.items():
            try:
                if "url" in one:
                    self.tools.servers[name] = HttpServer(one["url"])
                else:
                    variables = {pair["name"]: pair["value"] for pair in one["env"]}
                    self.tools.servers[name] = StdioServer([one["command"], *one["args"]], variables)
            except (OSError, ValueError, ToolFailed):
                self.tell("session.updated", {"mcpServer": name, "status": "failed"})

    def _asked(self, model, messages):
        chosen = self.given.get("modelSelection") or self.kept["model"] or {"providerId": "p", "modelId": "m"}
        about = {"providerId": chosen["providerId"], "modelId": chosen["modelId"], "querySource": "main_turn"}
        offered = self.tools.offered()
        self.tell(
            "session.updated",
            {**about, "messageCount": len(messages), "toolCount": len(offered), "iteration": self.spent[2]},
        )
        reply = model.ask(messages, offered, self._retried)
        if not reply.text and not reply.calls:
            raise ModelFailed(type="model_error", message="empty completion")
        self.spent = [self.spent[0] + reply.input, self.spent[1] + reply.output, self.spent[2] + 1]
        message = f"msg_{uuid.uuid4()}"
        for piece in reply.pieces:
            self.tell("model.streaming", {"kind": "text_delta", "delta": piece, "assistantMessageId": message})
        for id, name, given in reply.calls:
            whole = {"kind": "tool_call", "toolCallId": id, "toolName": name, "input": _read(given), "done": True}
            self.tell("model.streaming", {**whole, "assistantMessageId": message})
        usage = {"inputTokens": reply.input, "outputTokens": reply.output}
        self.tell("session.updated", {"usage": usage, "stopReason": "stop", "toolCallCount": len(reply.calls)})
        if self.session.stopped.is_set():
            raise Stopped
        return reply

    def _retried(self, what):
        self.tell("session.updated", {"_meta": {"zcode": {"apiRetry": what}}})

    def _called(self, id, name, text):
        """Carry out a call; what the model gets of it. What is told of each end is what ZCode tells."""
        given = _read(text)
        scheduled = {"kind": "scheduled", "toolCallId": id, "toolName": name}
        if self.switches.disagree:
            self.tell("tool.updated", {**scheduled, "input": {"other": True}})
        else:
            left = {"inputOmitted": True, "inputByteLength": len(text), "inputRef": "model_stream"}
            self.tell("tool.updated", {**scheduled, **left})
        self.made += 1
        schema = self.tools.schema(name)
        if schema is None:
            return self._broke(id, f"Tool not found: {name}")
        if wrong := fits(schema, given):
            context = {"toolName": name, "errors": wrong}
            self._broke(id, SCHEMA, context=context)
            return f"<tool_use_error>InputValidationError: {name} failed due to the following issue: {wrong}"
        if (refusal := self._refused(id, name, given)) is not None:
            return refusal
        self.tell("tool.updated", {"kind": "started", "toolCallId": id, "toolName": name, "startedAt": 0})
        if name == "AskUserQuestion":
            about = {"requestId": f"ask_{uuid.uuid4()}", "sessionId": self.session.id, "toolCallId": id}
            answer = self.session.server.ask("interaction/requestUserInput", {**about, "prompt": given["question"]})
            content = f"The user answered: {answer and answer.get('result', {}).get('action')}"
        else:
            try:
                content = self.tools.call(name, given, id)
            except ToolFailed as failed:
                return self._broke(id, str(failed))
        told = {"kind": "result", "toolCallId": id, "duration": 1, "result": {"success": True, "content": content}}
        if name == "Skill":
            told["skillMetadata"] = {"source": "workspace"}
        self.tell("tool.updated", told)
        if self.switches.late_error:
            self._broke(id, "late")
        return content

    def _broke(self, id, message, **more):
        error = {"type": "tool_execution_failed", "message": message, **more}
        self.tell("tool.updated", {"kind": "error", "toolCallId": id, "error": error})
        return message

    def _refused(self, id, name, given):
        """None where a call may be carried out; else what the model gets."""
        mode = self.kept["mode"]
        if self.tools.harmless(name, given) or mode in ("yolo", "guarded"):
            return None
        if name in EDITS and mode == "edit":
            return None
        if mode in ("plan", "auto"):
            told = {"toolCallId": id, "toolName": name, "decision": "deny", "reason": "The mode forbids it."}
            self.tell("permission.resolved", {**told, "inputSummary": ""})
            return "The mode forbids it."
        about = {"requestId": f"perm_{uuid.uuid4()}", "toolCallId": id, "toolName": name, "riskLevel": "medium"}
        rules = [{"type": "addRules", "behavior": "allow", "rules": [{"toolName": name}]}]
        always = {"decision": "allow", "permissionUpdates": rules}
        options = [
            _option("allow_once", "allow_once", {"decision": "allow"}),
            _option("allow_project", "allow_always", always),
            _option("deny", "deny", {"decision": "deny", "reason": "The user refused."}),
        ]
        about |= {"reason": "It may change something.", "input": given, "options": options}
        self.tell("permission.requested", about)
        asked = {**about, "sessionId": self.session.id, "turnId": self.id}
        answer = self.session.server.ask("interaction/requestPermission", asked, again=self.switches.again)
        decision = ((answer or {}).get("result") or {}).get("decision", "deny")
        if self.switches.deaf:
            decision = "allow" if decision == "deny" else "deny"
        resolved = {"requestId": about["requestId"], "toolCallId": id, "toolName": name, "decision": decision}
        self.tell("permission.resolved", resolved)
        return None if decision == "allow" else "The user refused."

    def _completed(self, answer, kind):
        given, made, asked = self.spent
        usage = {"source": "provider", "modelRequestCount": asked, "inputTokens": given, "outputTokens": made}
        usage |= {"totalTokens": given + made, "cacheReadTokens": 0, "cacheWriteTokens": 0, "reasoningTokens": 0}
        told = {"response": answer, "tokenCount": given + made, "usage": usage, "toolCallCount": self.made}
        more = {"inputId": self.given["inputId"]} if "inputId" in self.given else {}
        if self.switches.strange:
            self.session.event("turn.started", {"turnNumber": 1, "input": "x"}, "turn_x", session="sess_other")
        self.tell("turn.completed", {**told, "duration": 1, "resultType": kind, **more})

    def _failed(self, error, phase):
        self.tell("turn.failed", {"error": error, "turnPhase": phase})


def _read(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def _option(id, kind, response):
    return {"optionId": id, "kind": kind, "name": id, "response": response}
