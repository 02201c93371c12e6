"""Heap snapshots for tests, made node by node."""
import json

NODE_FIELDS = ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"]
EDGE_FIELDS = ["type", "name_or_index", "to_node"]
NODE_TYPES = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number",
              "native", "synthetic"]
EDGE_TYPES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]


class Snapshot:
    """Node 0 is the root. An edge is (source, label, target, kind)."""

    def __init__(self):
        self.nodes, self.edges = [], []
        self.add("(root)", kind="synthetic")

    def add(self, name, size=0, kind="object", number=None):
        self.nodes.append((kind, name, size, 2 * len(self.nodes) + 1 if number is None else number))
        return len(self.nodes) - 1

    def link(self, source, label, target, kind=None):
        kind = kind or ("element" if isinstance(label, int) else "property")
        self.edges.append((source, label, target, kind))

    def document(self, node_fields=NODE_FIELDS, edge_fields=EDGE_FIELDS):
        strings, numbers = [""], {"": 0}

        def string(text):
            if text not in numbers:
                numbers[text] = len(strings)
                strings.append(text)
            return numbers[text]

        outgoing = [[] for _ in self.nodes]
        for source, label, target, kind in self.edges:
            outgoing[source].append({
                "type": EDGE_TYPES.index(kind), "to_node": target * len(node_fields),
                "name_or_index": string(label) if isinstance(label, str) else label})
        nodes = [{"type": NODE_TYPES.index(kind), "name": string(name), "id": number,
                  "self_size": size, "edge_count": len(outgoing[node])}
                 for node, (kind, name, size, number) in enumerate(self.nodes)]
        edges = [edge for some in outgoing for edge in some]
        meta = {"node_fields": node_fields, "edge_fields": edge_fields,
                "node_types": [NODE_TYPES if field == "type" else "number"
                               for field in node_fields],
                "edge_types": [EDGE_TYPES if field == "type" else "node" for field in edge_fields]}
        return {"snapshot": {"meta": meta, "node_count": len(nodes), "edge_count": len(edges),
                             "trace_function_count": 0},
                "nodes": [node.get(field, 0) for node in nodes for field in node_fields],
                "edges": [edge.get(field, 0) for edge in edges for field in edge_fields],
                "trace_function_infos": [], "trace_tree": [], "samples": [], "locations": [],
                "strings": strings}

    def write(self, path, **layout):
        path.write_text(json.dumps(self.document(**layout), separators=(",", ":")))
        return path
