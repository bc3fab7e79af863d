package io.fibry.cluster;

import io.fibry.dump.DumpSection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The section of a cluster in the dumps of its scope: the nodes, and of how many slices of each group each is the home. */
final class ClusterSection {
    private ClusterSection() {
    }

    static DumpSection of(Cluster cluster) {
        var members = cluster.members().stream().sorted(Comparator.comparing(ClusterNode::name)).toList();
        var homes = cluster.homes();
        var columns = new ArrayList<>(List.of("node"));
        homes.forEach(group -> columns.add("slices of " + group.group()));
        var rows = new ArrayList<List<String>>();
        for (var node : members) {
            rows.add(row(
                    node.name() + (node.equals(cluster.self()) ? " (this node)" : "")
                            + (node.hosts() ? "" : ", only reaches"),
                    homes,
                    Optional.of(node)));
        }
        if (homes.stream().anyMatch(group -> group.slices().contains(Optional.<ClusterNode>empty()))) {
            rows.add(row("no home", homes, Optional.empty()));
        }
        return new DumpSection(
                "Cluster of " + members.size() + (members.size() == 1 ? " node" : " nodes") + ": node '"
                        + cluster.self().name() + "' " + (cluster.serves() ? "serves" : "does not serve")
                        + notUnderstood(cluster.notUnderstood()),
                columns, rows);
    }

    private static String notUnderstood(long times) {
        return times == 0 ? "" : "; not understood: " + times + (times == 1 ? " connection or message"
                : " connections and messages");
    }

    private static List<String> row(String title, List<GroupHomes> homes, Optional<ClusterNode> home) {
        var row = new ArrayList<>(List.of(title));
        homes.forEach(group -> row.add("" + group.slices().stream().filter(home::equals).count()));
        return row;
    }
}
