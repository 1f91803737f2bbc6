{{/*
Metadata of what `helm test` needs. Not with the job's owner label: the test's pod is none of its pods.
*/}}

{{- define "rallypoint.test_metadata" -}}
name: {{ include "rallypoint.test_name" .view | quote }}
labels:
  app.kubernetes.io/name: rallypoint
  app.kubernetes.io/instance: {{ .view.name | quote }}
  app.kubernetes.io/component: test
annotations:
  helm.sh/hook: test
  helm.sh/hook-weight: {{ .weight | quote }}
  # nothing is left, and a failed test's log is printed before its pod goes
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
  helm.sh/hook-output-log-policy: hook-failed,hook-succeeded
{{- end }}

{{/*
The program's arguments as a JSON list: namespace, the job's label, the label of the node index, the training
container, what runs, for how many seconds it is watched (less than the 5 minutes of `helm test`), and whether
it was started at all.
*/}}
{{- define "rallypoint.test_arguments" -}}
{{- $owner := keys .view.selector | first }}
{{- $index := omit .view.endpoint_selector $owner | keys | first }}
{{- $wanted := empty .root.Values.train | ternary "script" "train" }}
{{- $state := .view.suspend | ternary "suspended" "started" }}
{{- list .root.Release.Namespace (printf "%s=%s" $owner .view.name) $index .view.container_name $wanted "240" $state | toJson }}
{{- end }}
