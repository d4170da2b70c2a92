"""The adapter base under the path that adapters of other packages import; it stands in the worker's folder."""

from rankspec.conformance.worker.adapter import Adapter, ShapeName, UnsupportedError

__all__ = ["Adapter", "ShapeName", "UnsupportedError"]
