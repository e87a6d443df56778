"""For authors of plugins: bind a part as the core would, and keep records in memory."""

from skilltrial.judge.questions import of_turn as of_turn
from skilltrial.plugins.binding import bind as bind
from skilltrial.plugins.facades import AnswererFacade as AnswererFacade
from skilltrial.plugins.facades import DialectFacade as DialectFacade
from skilltrial.plugins.facades import FixtureFacade as FixtureFacade
from skilltrial.plugins.facades import FormatFacade as FormatFacade
from skilltrial.plugins.facades import GraderFacade as GraderFacade
from skilltrial.plugins.facades import HostFacade as HostFacade
from skilltrial.plugins.facades import ModelFacade as ModelFacade
from skilltrial.plugins.facades import NormalizerFacade as NormalizerFacade
from skilltrial.plugins.facades import RendererFacade as RendererFacade
from skilltrial.plugins.facades import TranscriptFacade as TranscriptFacade
from skilltrial.plugins.graders import choose as choose
from skilltrial.plugins.graders import fit as fit

from .recorders import MemoryRecorder as MemoryRecorder
from .recorders import records as records
