"""For authors of graders, a front beside the API: strict JSON, patterns in bounded time, schemas offline, wording.

The core itself never imports it; what it needs beyond the core is the extra `skilltrial[checks]`.
"""
