{{- define "tributary.scaledObject" }}
{{- $root := .root }}
{{- $scaling := $root.Values.autoscaling }}
{{- $settings := $root.Values.settings }}
{{- $namespaces := dict "finance" ($settings.TEMPORAL_NAMESPACE | default "tributary") "background" ($settings.TEMPORAL_BACKGROUND_NAMESPACE | default "tributary-background") }}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ .name }}
  labels: {{ .labels | nindent 4 }}
spec:
  scaleTargetRef: { name: {{ .name }} }
  # Not zero: what is idle must still be seen by the checks.
  minReplicaCount: {{ .worker.replicas | default 1 }}
  maxReplicaCount: {{ .worker.maxReplicas | default 10 }}
  pollingInterval: 15
  # Each stop of a worker hands its cached workflows over.
  advanced:
    horizontalPodAutoscalerConfig:
      behavior: { scaleDown: { stabilizationWindowSeconds: 600, policies: [{ type: Pods, value: 1, periodSeconds: 120 }] } }
  triggers:
    {{- range .worker.queues }}
    {{- $queue := printf "%s%s" ($settings.TEMPORAL_QUEUE_PREFIX | default "") .name }}
    - type: temporal
      metadata:
        endpoint: {{ $settings.TEMPORAL_ADDRESS | quote }}
        namespace: {{ get $namespaces .namespace | quote }}
        taskQueue: {{ $queue | quote }}
        queueTypes: {{ .types | default "activity" }}
        {{- if eq (include "tributary.isVersioned" $root) "true" }}
        # The backlog of the installed version; without them, KEDA reads that of workers without versions.
        workerDeploymentName: {{ printf "%stributary" ($settings.TEMPORAL_QUEUE_PREFIX | default "") | quote }}
        workerDeploymentBuildId: {{ include "tributary.buildId" $root | quote }}
        {{- end }}
        targetQueueSize: {{ $scaling.backlogPerReplica | quote }}
        {{- with $settings.TEMPORAL_TLS_SERVER_NAME }}
        tlsServerName: {{ . | quote }}
        {{- end }}
      {{- with $scaling.temporalAuthentication }}
      authenticationRef: { name: {{ . }} }
      {{- end }}
    {{- if and $scaling.prometheusAddress (ne .types "workflow") }}
    - type: prometheus
      metricType: Value
      metadata:
        serverAddress: {{ $scaling.prometheusAddress | quote }}
        query: >-
          histogram_quantile(0.95, sum by (le) (rate(temporal_activity_schedule_to_start_latency_seconds_bucket{task_queue="{{ $queue }}"}[2m])))
        threshold: {{ $scaling.scheduleToStartSeconds | quote }}
        # Without activities there is no value.
        ignoreNullValues: "true"
    {{- end }}
    {{- end }}
{{- end }}
