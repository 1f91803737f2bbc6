{{/*
The TrainingRuntime of kind trainjob, which helm prints twice: before an install, because its TrainJob is refused
without it, and after an uninstall, because helm leaves what a hook made. Takes the view.
*/}}

{{- define "rallypoint.runtime" -}}
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: {{ .name | quote }}
  {{- include "rallypoint.metadata" . | trim | nindent 2 }}
spec:
  mlPolicy:
    numNodes: {{ .nodes | int64 }}
    torch: {}
  template:
    spec:
      {{- include "rallypoint.jobset_policies" . | nindent 6 }}
      replicatedJobs:
        - name: node
          replicas: 1
          template:
            metadata:
              labels:
                # ties this Job to the TrainJob's number of nodes
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              {{- include "rallypoint.job_spec" . | nindent 14 }}
{{- end }}
