"""What every test stands on: an environment without settings, and one profile of hypothesis."""

import os

from hypothesis import settings

from service.settings import PREFIX, TEST_PREFIX

for name in list(os.environ):
    if name.upper().startswith(PREFIX) and not name.startswith(TEST_PREFIX):
        del os.environ[name]

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
