package io.fibry.cluster;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The homes of a group, as a node has seen them at one moment. Keys are in slices, and a slice has one home. Immutable.
 *
 * @param group name of the group
 * @param slices the home of each slice. A slice has none while it moves, after its home was lost, and if no node shares the group
 */
public record GroupHomes(String group, List<Optional<ClusterNode>> slices) {
    /** Copies the list. */
    public GroupHomes {
        Objects.requireNonNull(group, "group");
        slices = List.copyOf(slices);
    }

    /**
     * Counts the slices of a node.
     *
     * @param node the node
     * @return of how many slices it is the home
     */
    public int countOf(ClusterNode node) {
        var home = Optional.of(node);
        return (int) slices.stream().filter(home::equals).count();
    }
}
