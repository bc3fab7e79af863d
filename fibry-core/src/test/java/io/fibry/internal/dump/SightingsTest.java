package io.fibry.internal.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.internal.actor.Cell;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SightingsTest {
    /** The most actors that are remembered. */
    private static final int MOST = 20_000;

    /** In which order a look comes to the actors does not matter. */
    @Test
    void whatTheLookBeforeHasSeenIsNotForgottenForOneActorMore() {
        var tasks = new ArrayDeque<Runnable>();
        try (var scope = ActorSystem.configure("busy").strategy(CreationStrategy.of(tasks::add)).open()) {
            var cells = IntStream.rangeClosed(0, MOST).mapToObj(i -> {
                var actor = scope.anonymous().newActor((String message) -> {
                });
                actor.sendMessage("waits");
                return (Cell) actor;
            }).toList();
            var sightings = new Sightings();
            var known = cells.subList(1, cells.size());
            look(sightings, known, 1);

            assertThat(sightings.look(cells.getFirst(), 2).firstWaits()).isEmpty();
            look(sightings, known, 2);
            assertThat(known).allSatisfy(cell -> assertThat(sightings.look(cell, 2).firstWaits())
                    .contains(Duration.ofNanos(1)));

            // One that was not seen at the look before makes room.
            look(sightings, known.subList(1, known.size()), 3);
            look(sightings, cells.subList(0, 1), 4);
            assertThat(sightings.look(cells.getFirst(), 5).firstWaits()).contains(Duration.ofNanos(1));
            while (!tasks.isEmpty()) {
                tasks.remove().run();
            }
        }
    }

    private static void look(Sightings sightings, List<Cell> cells, long now) {
        cells.forEach(cell -> sightings.look(cell, now));
    }
}
