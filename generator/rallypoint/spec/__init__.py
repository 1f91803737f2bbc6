"""The spec's models: what a job file can say, with a docstring for every field.

Refuses to read files (loading does) and to know Kubernetes objects (render does).
"""

from rallypoint.spec.env import ConfigMapKey, EnvFrom, PodField, SecretKey
from rallypoint.spec.job import KINDS, Job, KindName
from rallypoint.spec.placement import Network, Rdma, Rendezvous, Scheduling, Security
from rallypoint.spec.resources import Resources
from rallypoint.spec.script import ScriptSpec
from rallypoint.spec.storage import Storage, Volume
from rallypoint.spec.train import DatasetSpec, ModelSpec, TrainSpec

__all__ = [
    "KINDS", "ConfigMapKey", "DatasetSpec", "EnvFrom", "Job", "KindName", "ModelSpec", "Network", "PodField",
    "Rdma", "Rendezvous", "Resources", "Scheduling", "ScriptSpec", "SecretKey", "Security", "Storage",
    "TrainSpec", "Volume",
]  # fmt: skip
