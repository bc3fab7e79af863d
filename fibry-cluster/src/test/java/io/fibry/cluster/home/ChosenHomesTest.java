package io.fibry.cluster.home;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Promise;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Homes that were chosen by load, as members see them. */
class ChosenHomesTest {
    private static final int SLICES = 32;
    private static final UUID BUSY = new UUID(1, 1);
    private static final UUID IDLE = new UUID(2, 2);
    private static final UUID THIRD = new UUID(3, 3);

    private final TreeMap<String, byte[]> tables = new TreeMap<>();
    private final Map<UUID, RecordingSurroundings> around = new LinkedHashMap<>();
    private final Map<UUID, ClusterMember> members = new LinkedHashMap<>();
    private long now = 1_000_000_000;

    private ClusterMember member(UUID node) {
        around.put(node, new RecordingSurroundings(tables));
        members.put(node, new ClusterMember(node, SLICES, 1_000_000_000L, around.get(node)));
        return members.get(node);
    }

    private void see(long view, UUID... nodes) {
        members.values().forEach(member -> member.viewChanged(view, Set.of(nodes), true, Set.of(), now));
    }

    /** Lets changes be made and actors end, until nothing is left to do. */
    private void settle() {
        var any = true;
        while (any) {
            now += 30_000_000;
            any = false;
            for (var member : members.entrySet()) {
                member.getValue().tick(now);
                var surroundings = around.get(member.getKey());
                any |= surroundings.makeChanges(member.getValue(), members.values(), now);
                for (var drain : List.copyOf(surroundings.drains)) {
                    var number = drain.substring(drain.indexOf('/') + 1, drain.indexOf(' '));
                    member.getValue().drained("work", Integer.parseInt(number), now);
                    any = true;
                }
                surroundings.drains.clear();
            }
        }
    }

    private List<UUID> homes() {
        return IntStream.range(0, SLICES)
                .mapToObj(slice -> GroupTables.home(tables.get("homes:" + GroupTables.key("work", slice)))
                        .orElseThrow())
                .toList();
    }

    /** The slices of the busy member are equally busy. */
    private void balance() {
        var homes = homes();
        var loads = IntStream.range(0, SLICES).map(slice -> homes.get(slice).equals(BUSY) ? 1_000 : 0);
        members.get(BUSY).balance("work", loads.toArray(), 0, now);
        settle();
    }

    private void share(UUID... nodes) {
        List.of(nodes).forEach(this::member);
        see(1, nodes);
        members.values().forEach(member -> member.host("work", true, now));
        settle();
        assertThat(homes()).isEqualTo(SlicePlacement.of("work", SLICES, List.of(nodes)));
    }

    /** Nodes of a version that knows no load tell none. */
    @Promise("80.18")
    @Test
    void nothingMovesUntilAllHostsHaveToldTheirLoads() {
        share(BUSY, IDLE, THIRD);
        var before = homes();
        around.get(BUSY).loads = Map.of(IDLE, new NodeLoad(1, 0));
        balance();
        assertThat(homes()).isEqualTo(before);

        around.get(BUSY).loads = Map.of(IDLE, new NodeLoad(1, 0), THIRD, new NodeLoad(1, 1));
        balance();
        assertThat(homes()).isNotEqualTo(before);
    }

    /** A node that joins gets its share, also of what was chosen for others before. */
    @Promise("80.18")
    @Test
    void aChoiceIsVoidForANodeThatHostsTheGroupLater() {
        share(BUSY, IDLE);
        around.get(BUSY).loads = Map.of(IDLE, new NodeLoad(1, 0));
        balance();
        var chosen = IntStream.range(0, SLICES).filter(slice -> homes().get(slice).equals(IDLE)
                && SlicePlacement.of("work", SLICES, List.of(BUSY, IDLE)).get(slice).equals(BUSY)).boxed()
                .toList();
        member(THIRD);
        see(2, BUSY, IDLE, THIRD);
        members.get(THIRD).host("work", true, now);
        settle();

        var placement = SlicePlacement.of("work", SLICES, List.of(BUSY, IDLE, THIRD));
        assertThat(chosen).anyMatch(slice -> placement.get(slice).equals(THIRD))
                .anyMatch(slice -> placement.get(slice).equals(BUSY));
        for (int slice = 0; slice < SLICES; slice++) {
            assertThat(homes().get(slice)).as("slice %d", slice).isEqualTo(
                    chosen.contains(slice) && !placement.get(slice).equals(THIRD) ? IDLE
                            : placement.get(slice));
        }
    }
}
