#!/usr/bin/env python3
"""Start the stand-in that lies here: to be named by --host-binary."""

import runpy
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])
runpy.run_module("standin", run_name="__main__")
