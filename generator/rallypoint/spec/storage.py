"""`output`, `cache` and `volumes`: a claim, or any Kubernetes volume source spelled as Kubernetes does.

Source: Kubernetes API 1.34, core/v1 Volume.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import model_validator

from rallypoint.spec.base import AbsolutePath, Model, ObjectName, Quantity, Verbatim, matching

Source = Verbatim
VOLUME_SOURCES = (
    "configMap", "secret", "emptyDir", "hostPath", "nfs", "csi", "ephemeral", "projected", "downwardAPI",
    "image", "iscsi", "fc", "azureFile", "cephfs", "persistentVolumeClaim",
)  # fmt: skip


class Storage(Model):
    """Exactly one of `pvc` and a volume source."""

    pvc: ObjectName | None = None
    """A PersistentVolumeClaim: an existing one, or with `size` one to create. It outlives the job."""
    size: Quantity | None = None
    """Create the claim with this size."""
    storage_class: ObjectName | None = None
    """Storage class of the claim to create. Left out: the cluster's default."""
    access_mode: Literal["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany", "ReadWriteOncePod"] | None = None
    """Access mode of the claim to create. Left out: ReadWriteMany, or ReadWriteOnce for one node."""
    configMap: Source | None = None
    """Files from a ConfigMap, as {name: settings}."""
    secret: Source | None = None
    """Files from a Secret, as {secretName: hf}."""
    emptyDir: Source | None = None
    """An empty folder that ends with the pod."""
    hostPath: Source | None = None
    """A folder of the machine; needs the Pod Security level `privileged`."""
    nfs: Source | None = None
    """An NFS export, as {server: nfs.example.com, path: /data}."""
    csi: Source | None = None
    """An inline CSI volume, as an object store's driver."""
    ephemeral: Source | None = None
    """A claim that ends with the pod."""
    projected: Source | None = None
    """Several sources in one folder."""
    downwardAPI: Source | None = None
    """Fields of the pod as files."""
    image: Source | None = None
    """An OCI image as files."""
    iscsi: Source | None = None
    """An iSCSI disk."""
    fc: Source | None = None
    """A Fibre Channel disk."""
    azureFile: Source | None = None
    """An Azure file share."""
    cephfs: Source | None = None
    """A CephFS mount."""
    persistentVolumeClaim: Source | None = None
    """A claim spelled as Kubernetes does; `pvc` is shorter."""

    @model_validator(mode="after")
    def _one_source(self) -> Storage:
        given = [key for key in ("pvc", *VOLUME_SOURCES) if getattr(self, key) is not None]
        if len(given) != 1:
            found = " and ".join(given) if given else "none"
            raise ValueError(
                f"needs exactly one of pvc and a volume source such as hostPath or nfs (got {found})"
            )
        for key in ("storage_class", "access_mode"):
            if getattr(self, key) is not None and self.size is None:
                raise ValueError(f"{key} is for a claim to create: give its size, or leave {key} out")
        if self.size is not None and self.pvc is None:
            raise ValueError(f"size is for a claim to create: name it with pvc (got {given[0]})")
        return self

    @property
    def source(self) -> tuple[str, Source]:
        """Kubernetes' key and value of the volume source; a `pvc` as persistentVolumeClaim."""
        if self.pvc is not None:
            return "persistentVolumeClaim", {"claimName": self.pvc}
        key = next(key for key in VOLUME_SOURCES if getattr(self, key) is not None)
        return key, getattr(self, key)


class Volume(Storage):
    """One more folder in every pod."""

    mount: AbsolutePath
    """Where it appears in the pod."""
    read_only: bool = False
    """Refuse writes."""
    sub_path: (
        Annotated[
            str,
            matching(
                r"(?!.*(^|/)\.\.(/|$))[^/\x00-\x1f][^\x00-\x1f]*", "must be a relative path inside the volume"
            ),
        ]
        | None
    ) = None
    """A folder or file inside the volume instead of its root."""
