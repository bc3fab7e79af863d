package io.fibry.cluster.home;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SlicePlacementTest {
    private static List<UUID> hosts(int count) {
        return LongStream.rangeClosed(1, count).mapToObj(number -> new UUID(number * 7919, -number)).toList();
    }

    @Test
    void eachHostGetsItsShareWhateverTheOrderOfTheHosts() {
        for (int count = 1; count <= 50; count++) {
            var hosts = hosts(count);
            var reversed = new ArrayList<>(hosts);
            Collections.reverse(reversed);
            var homes = SlicePlacement.of("accounts", 256, hosts);
            assertThat(SlicePlacement.of("accounts", 256, reversed)).isEqualTo(homes);
            var least = 256L / count;
            var loads = homes.stream().collect(Collectors.groupingBy(home -> home, Collectors.counting()));
            assertThat(loads.keySet()).hasSize(count);
            assertThat(loads.values()).allMatch(load -> load == least || load == least + 1);
        }
        assertThat(SlicePlacement.of("accounts", 256, List.of())).isEmpty();
    }

    /** The other way round, when that host leaves, the same slices move. */
    @Test
    void mostSlicesStayWhenAHostJoins() {
        for (int count = 1; count < 50; count++) {
            var before = SlicePlacement.of("accounts", 256, hosts(count));
            var after = SlicePlacement.of("accounts", 256, hosts(count + 1));
            var moved =
                    IntStream.range(0, 256).filter(slice -> !before.get(slice).equals(after.get(slice)))
                            .count();
            var share = 256 / (count + 1);
            assertThat(moved).as("%d hosts, and one more", count).isBetween((long) share, share + 256L / 8);
        }
    }

    @Test
    void slicesThatGoTogetherAreTheBusiestOfThoseThatFit() {
        assertThat(SlicePlacement.busiest(new int[]{0, 7, 3, 10, 2}, 9)).containsExactly(1, 4);
        assertThat(SlicePlacement.busiest(new int[]{0, 7, 3}, 2)).isEmpty();
        assertThat(SlicePlacement.busiest(new int[]{0, 0}, 5)).isEmpty();
    }
}
