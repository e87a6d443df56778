"""What a host may use to start programs; the second front beside `skilltrial.api`.

A host runs its program by `place.launcher.run(Command(...), recorder)`: within the trial's limits, recorded as it
prints, and ended with everything that it started.
"""

from skilltrial.model.trial import Command as Command
from skilltrial.model.trial import Finished as Finished
from skilltrial.model.trial import Launcher as Launcher
