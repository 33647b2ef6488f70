"""Settings of every test: chance is fixed, and what was left out is said at the end."""

from hypothesis import settings

# The same examples on every machine and every day; a nightly job may set another profile.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")
