"""Where the user's cache is: environments of stated versions, and expectations that were computed before."""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path:
    """Return our folder in the user's cache (`XDG_CACHE_HOME`, else `~/.cache`); `RuntimeError` without a home."""
    stated = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(stated) if Path(stated).is_absolute() else Path.home() / ".cache"
    return cache / "rankspec"
