{{/*
The spec of the Indexed Job, which kinds job, jobset and trainjob share. Takes the view.
*/}}

{{- define "rallypoint.job_spec" -}}
completionMode: Indexed
completions: {{ .nodes | int64 }}
parallelism: {{ .nodes | int64 }}
# one index is one node; the plain backoffLimit grows its delay with every pod of an incident
backoffLimitPerIndex: {{ .backoff_limit | int64 }}
maxFailedIndexes: 0
podReplacementPolicy: Failed
podFailurePolicy:
  rules:
    # the launcher's exit codes: 1 failed for good, 2 wrong input, 143 start me again
    - action: FailJob
      onExitCodes:
        containerName: {{ .container_name | quote }}
        operator: In
        values: [1, 2]
    - action: Ignore
      onExitCodes:
        containerName: {{ .container_name | quote }}
        operator: In
        values: [143]
    - action: Ignore
      onPodConditions:
        - type: DisruptionTarget
          status: "True"
{{- if .deadline_seconds }}
activeDeadlineSeconds: {{ .deadline_seconds | int64 }}
{{- end }}
template:
  {{- include "rallypoint.pod" . | nindent 2 }}
{{- end }}

{{- define "rallypoint.jobset_policies" -}}
network:
  # the nodes meet at the endpoint's own Service
  enableDNSHostnames: false
failurePolicy:
  maxRestarts: 0
  rules:
    - name: failedForGood
      action: FailJobSet
      onJobFailureReasons:
        - PodFailurePolicy
{{- end }}
