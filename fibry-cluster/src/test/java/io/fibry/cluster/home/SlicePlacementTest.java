package io.fibry.cluster.home;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SlicePlacementTest {
    private static List<UUID> hosts(int count) {
        return LongStream.rangeClosed(1, count).mapToObj(number -> new UUID(number * 7919, -number)).toList();
    }

    @Test
    void eachHostGetsItsShareWhateverTheOrderOfTheHosts() {
        for (int count = 1; count <= 20; count++) {
            var hosts = hosts(count);
            var reversed = new ArrayList<>(hosts);
            Collections.reverse(reversed);
            var homes = SlicePlacement.of("accounts", 256, hosts);
            assertThat(SlicePlacement.of("accounts", 256, reversed)).isEqualTo(homes);
            var most = (256 + count - 1) / count;
            assertThat(homes.stream().collect(Collectors.groupingBy(home -> home, Collectors.counting()))
                    .values())
                    .allMatch(load -> load <= most);
        }
        assertThat(SlicePlacement.of("accounts", 256, List.of())).isEmpty();
    }

    @Test
    void mostSlicesStayWhenAHostJoins() {
        var before = SlicePlacement.of("accounts", 256, hosts(4));
        var after = SlicePlacement.of("accounts", 256, hosts(5));
        var moved = 0;
        for (int slice = 0; slice < 256; slice++) {
            if (!before.get(slice).equals(after.get(slice))) {
                moved++;
            }
        }
        // At least 51 must move to the new host; the bound on the load makes a few more move.
        assertThat(moved).isBetween(40, 100);
    }
}
