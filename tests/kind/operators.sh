#!/usr/bin/env bash
# The operators on a cluster with a network, at the versions of tests/cluster/go/*/go.mod. Needs kubectl and git.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../cluster/go"

version() { sed -n "s|.*$1 \(v[0-9.]*\).*|\1|p" "$2/go.mod" | head -n 1; }
training=$(version github.com/kubeflow/training-operator training-operator)
trainer=$(version github.com/kubeflow/trainer/v2 trainer)
jobset=$(version sigs.k8s.io/jobset jobset)
kueue=$(version sigs.k8s.io/kueue kueue)

apply() { kubectl apply --server-side --force-conflicts "$@"; }
apply -k "https://github.com/kubeflow/training-operator.git/manifests/overlays/standalone?ref=$training"
# Trainer's overlay brings a JobSet along; the pinned one comes after it and stays
apply -k "https://github.com/kubeflow/trainer.git/manifests/overlays/manager?ref=$trainer"
apply -f "https://github.com/kubernetes-sigs/jobset/releases/download/$jobset/manifests.yaml"
apply -f "https://github.com/kubernetes-sigs/kueue/releases/download/$kueue/manifests.yaml"
for namespace in kubeflow kubeflow-system jobset-system kueue-system; do
  kubectl wait --for=condition=Available deployment --all --namespace "$namespace" --timeout=300s
done
