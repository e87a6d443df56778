"""For authors of fixtures, a front beside the API: replies as data, as rules with JSON Schema and open places.

Files in JSON or YAML whose faults have places, schemas that are compiled once and offline, templates that take values
from a call or from the state, scripts that are chosen by cases and include each other; the texts of what is put on
record. The core itself never imports it; what it needs beyond the core is the extra `skilltrial[replies]`. What serves
(`notes`, `fitting`, `strictjson`, `templates`) imports no models, and `jsonschema` only for schemas that need it.
"""
