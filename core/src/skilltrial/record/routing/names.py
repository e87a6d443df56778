"""How the files of a routing policy are called."""

NAMES = ("skilltrial.policy.yaml", "skilltrial.policy.yml", "skilltrial.policy.json")
"""Of a policy of ours."""

FOLDER, ROUTING, DEPLOYMENTS = ".embraion", "routing.yaml", "deployments.yaml"
"""Of an EmbrAIon project's."""
