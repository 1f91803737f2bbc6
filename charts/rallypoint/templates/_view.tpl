{{/*
The view: everything that is decided about the job on a cluster, as one flat mapping; the twin of
rallypoint.podview in Python, field by field (tests/chart compares the two). Empty text, lists and mappings, 0
and false mean: leave it out. Templates print it and decide nothing more.

    {{- $view := include "rallypoint.view" . | fromJson }}

Numbers come back as floats: print them with int64.
*/}}

{{- define "rallypoint.view" -}}
{{- if not (hasKey . "rallypointView") }}
  {{- /* ten templates read it; it depends on nothing that changes between them */}}
  {{- $_ := set . "rallypointView" (include "rallypoint.decided" .) }}
{{- end }}
{{- .rallypointView }}
{{- end }}

{{/* What the defines that decide work on: the job, its scripts, the tables, and the kind's own line of them. */}}
{{- define "rallypoint.context" -}}
{{- $job := include "rallypoint.job" . | fromJson }}
{{- $tables := .Files.Get "files/tables.json" | fromJson }}
{{- $launcher := dict }}
{{- range $path, $text := .Files.Glob "files/launcher/*.py" }}
  {{- $_ := set $launcher (base $path) (toString $text | sha256sum) }}
{{- end }}
{{- dict "job" $job
      "tables" $tables
      "kind" (get $tables.kinds $job.kind)
      "scripts" (include "rallypoint.scripts" $job | fromJson)
      "launcher" $launcher
      "nproc" ($job.nproc_per_node | default $job.resources.gpus | default 1)
    | toJson }}
{{- end }}

{{- define "rallypoint.decided" -}}
{{- $context := include "rallypoint.context" . | fromJson }}
{{- include "rallypoint.refuse" (set $context "root" (dict "Values" .Values "Release" .Release "Capabilities" .Capabilities)) }}
{{- $job := $context.job }}
{{- $labels := include "rallypoint.labels" $context | fromJson }}
{{- $no_mesh := $context.tables.pod.no_mesh }}
{{- $pull_secrets := list }}
{{- range $job.image_pull_secrets }}
  {{- $pull_secrets = append $pull_secrets (dict "name" .) }}
{{- end }}
{{- $view := dict
      "kind" $job.kind
      "name" $job.name
      "namespace" ($job.namespace | default "")
      "labels" $labels
      "annotations" $job.annotations
      "queue_labels" (include "rallypoint.queue_labels" $context | fromJson)
      "selector" (include "rallypoint.selector" $context | fromJson)
      "config_name" (include "rallypoint.config_name" $job)
      "files_name" (include "rallypoint.files_name" $context)
      "endpoint_name" (include "rallypoint.endpoint_name" $job)
      "endpoint_selector" (include "rallypoint.endpoint_selector" $context | fromJson)
      "port" $job.rendezvous.port
      "port_name" $context.kind.port_name
      "claims" (include "rallypoint.claims" $job | fromJsonArray)
      "policy" (and $job.network.policy (not $job.network.host_network))
      "nodes" $job.nodes
      "nproc_per_node" (toJson $context.nproc)
      "backoff_limit" $context.tables.pod.backoff_limit
      "suspend" $job.suspend
      "deadline_seconds" (include "rallypoint.seconds" $job.deadline | int64)
      "ttl_seconds" (include "rallypoint.seconds" $job.ttl | int64)
      "pod_labels" (merge (deepCopy $labels) $no_mesh)
      "pod_annotations" (include "rallypoint.overlaid" (list $no_mesh $job.annotations $job.network.annotations) | fromJson)
      "restart_policy" (has $job.kind (list "job" "jobset" "trainjob") | ternary "Never" "")
      "grace_seconds" (include "rallypoint.seconds" $job.grace_period | int64)
      "service_account" ($job.service_account | default "")
      "service_account_token" $job.security.service_account_token
      "image_pull_secrets" $pull_secrets
      "host_network" $job.network.host_network
      "priority_class" ($job.scheduling.priority_class | default "")
      "scheduler_name" ($job.scheduling.scheduler_name | default "")
      "node_selector" $job.scheduling.node_selector
      "tolerations" $job.scheduling.tolerations
      "affinity" $job.scheduling.affinity
      "spread" ($job.scheduling.spread | default "")
      "pod_security" (include "rallypoint.pod_security" $context | fromJson)
      "volumes" (include "rallypoint.volumes" $context | fromJsonArray)
      "init_containers" $job.init_containers
      "sidecars" $job.sidecars
      "container_name" $context.kind.container
      "image" ($job.image | default "")
      "image_pull_policy" ($job.image_pull_policy | default "")
      "command" $context.tables.pod.command
      "workdir" $context.tables.pod.mounts.workdir
      "env" (include "rallypoint.environment" $context | fromJsonArray)
      "env_from" (include "rallypoint.environment_sources" $job | fromJsonArray)
      "resources" (include "rallypoint.resources" $job | fromJson)
      "container_security" (include "rallypoint.container_security" $context | fromJson)
      "mounts" (include "rallypoint.mounts" $context | fromJsonArray)
      "pod_patch" $job.pod_patch
      "container_patch" $job.container_patch }}
{{- include "rallypoint.kept" (dict "root" . "view" $view) }}
{{- end }}

{{/* Several mappings as one; the last one wins, empty text too. */}}
{{- define "rallypoint.overlaid" -}}
{{- $result := dict }}
{{- range . }}
  {{- range $key, $value := . }}
    {{- $_ := set $result $key $value }}
  {{- end }}
{{- end }}
{{- toJson $result }}
{{- end }}

{{/* The training container's requests and limits, which are the same. */}}
{{- define "rallypoint.resources" -}}
{{- $amounts := dict }}
{{- range $name, $amount := dict "cpu" .resources.cpu "memory" .resources.memory "ephemeral-storage" .resources.ephemeral_storage }}
  {{- if $amount }}
    {{- $_ := set $amounts $name $amount }}
  {{- end }}
{{- end }}
{{- if .resources.gpus }}
  {{- $_ := set $amounts .resources.gpu_resource (toJson .resources.gpus) }}
{{- end }}
{{- range $name, $amount := .resources.extra }}
  {{- $_ := set $amounts $name $amount }}
{{- end }}
{{- with .network.rdma }}
  {{- $_ := set $amounts .resource (.count | default 1 | toJson) }}
{{- end }}
{{- if $amounts }}{{ dict "requests" $amounts "limits" $amounts | toJson }}
{{- else }}{}
{{- end }}
{{- end }}

{{/* Capabilities to add, each once: for RDMA the one that lets it pin memory, and those asked for. */}}
{{- define "rallypoint.capabilities" -}}
{{- $needed := empty .network.rdma | ternary (list) (list "IPC_LOCK") }}
{{- concat $needed .security.capabilities | uniq | toJson }}
{{- end }}

{{/* The pod's securityContext: level `restricted` unless the job says otherwise. */}}
{{- define "rallypoint.pod_security" -}}
{{- $user := .job.security.user }}
{{- $group := kindIs "invalid" .job.security.fs_group | ternary $user .job.security.fs_group }}
{{- $context := dict "seccompProfile" (dict "type" "RuntimeDefault") }}
{{- if or (kindIs "invalid" $user) (ne (toJson $user) "0") }}
  {{- $_ := set $context "runAsNonRoot" true }}
{{- end }}
{{- if not (kindIs "invalid" $user) }}
  {{- $_ := set $context "runAsUser" $user }}
{{- end }}
{{- if not (kindIs "invalid" $group) }}
  {{- /* only when the top folder's group differs: a walk over a large output takes minutes */}}
  {{- $_ := set $context "fsGroup" $group }}
  {{- $_ = set $context "fsGroupChangePolicy" "OnRootMismatch" }}
{{- end }}
{{- toJson $context }}
{{- end }}

{{/* The training container's securityContext. */}}
{{- define "rallypoint.container_security" -}}
{{- $security := .job.security }}
{{- $added := include "rallypoint.capabilities" .job | fromJsonArray }}
{{- $capabilities := dict "drop" (list "ALL") }}
{{- if $added }}
  {{- $_ := set $capabilities "add" $added }}
{{- end }}
{{- $context := dict "readOnlyRootFilesystem" $security.read_only_root "capabilities" $capabilities }}
{{- if $security.privileged }}
  {{- $_ := set $context "privileged" true }}
{{- end }}
{{- /* the API server refuses `allowPrivilegeEscalation: false` beside either of these */}}
{{- if not (or $security.privileged (has "SYS_ADMIN" $added) (has "CAP_SYS_ADMIN" $added)) }}
  {{- $_ := set $context "allowPrivilegeEscalation" false }}
{{- end }}
{{- toJson $context }}
{{- end }}
