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
