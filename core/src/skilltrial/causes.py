"""What all hosts say alike about a failed request; a front for hosts.

What only one program tells (its own words, codes and sentences) is its host's to read, and goes first.
"""

from skilltrial.model.causes import cause_of_status as cause_of_status
from skilltrial.model.causes import cause_of_words as cause_of_words
from skilltrial.model.causes import owner_of_cause as owner_of_cause
