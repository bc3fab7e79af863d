package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.ClusterEngine.Change;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.testing.Scopes;
import io.fibry.testing.Waits;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Changes of tables that wait for an actor that makes them. */
class EngineCallersTest {
    private final ConcurrentLinkedQueue<Input> told = new ConcurrentLinkedQueue<>();

    private static Change change(int number) {
        return new Change("homes", "items/" + number, null, new byte[]{1});
    }

    /** An engine that is asked for nothing but changes. */
    private static ClusterEngine engine(Function<List<Change>, List<Outcome>> outcomes) {
        return (ClusterEngine) Proxy.newProxyInstance(ClusterEngine.class.getClassLoader(),
                new Class<?>[]{ClusterEngine.class}, (proxy, method, values) -> {
                    assertThat(method.getName()).isEqualTo("change");
                    @SuppressWarnings("unchecked")
                    var changes = (List<Change>) values[0];
                    return outcomes.apply(changes);
                });
    }

    @Test
    void aChangeThatIsNotWantedAnyMoreIsRefusedAndNotMade() {
        try (var scope = Scopes.configure().open()) {
            var carriage = new EngineCallers(scope, engine(changes -> List.of(Outcome.DONE)), told::add);
            var wanted = change(1);
            var unwanted = change(2);
            carriage.propose(unwanted);
            carriage.propose(wanted);
            carriage.change(change -> change == wanted);
            soon().untilAsserted(() -> assertThat(told).containsExactlyInAnyOrder(
                    new Input.Proposed(List.of(unwanted), List.of(Outcome.REFUSED)),
                    new Input.Proposed(List.of(wanted), List.of(Outcome.DONE))));
        }
    }

    @Test
    void anErrorLeavesItsActorFreeForLaterChanges() {
        try (var scope = Scopes.configure().open()) {
            var carriage = new EngineCallers(scope, engine(changes -> {
                throw new NoClassDefFoundError("missing");
            }), told::add);
            for (int number = 1; number <= 20; number++) {
                carriage.propose(change(number));
                carriage.change(change -> true);
                var times = number;
                soon().until(() -> told.size() == times);
            }
            assertThat(told)
                    .allMatch(input -> ((Input.Proposed) input).outcomes().equals(List.of(Outcome.UNKNOWN)));
        }
    }

    /** What is proposed while changes are underway goes with the next ones. */
    @Test
    void manyChangesGoTogetherAndNoMoreThanATransactionTakes() {
        var sizes = new ConcurrentLinkedQueue<Integer>();
        var goesOn = new CountDownLatch(1);
        try (var scope = Scopes.configure().open()) {
            var carriage = new EngineCallers(scope, engine(changes -> {
                sizes.add(changes.size());
                try {
                    Waits.on(goesOn);
                } catch (Exception interrupted) {
                    throw new AssertionError(interrupted);
                }
                return Collections.nCopies(changes.size(), Outcome.DONE);
            }), told::add);
            carriage.propose(change(0));
            carriage.change(change -> true);
            for (int number = 1; number <= 200; number++) {
                carriage.propose(change(number));
                carriage.change(change -> true);
            }
            goesOn.countDown();
            for (int times = 1; times <= 3; times++) {
                var before = times;
                soon().until(() -> told.size() == before);
                carriage.change(change -> true);
            }
            assertThat(sizes).containsExactly(1, 128, 72);
        }
    }
}
