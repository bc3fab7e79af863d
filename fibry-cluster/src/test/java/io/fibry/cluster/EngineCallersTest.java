package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.home.EntryChange;
import io.fibry.testing.Scopes;
import io.fibry.testing.Waits;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Changes of tables that wait for an actor that makes them. */
class EngineCallersTest {
    private final ConcurrentLinkedQueue<Input> told = new ConcurrentLinkedQueue<>();

    private static EntryChange change(int number) {
        return new EntryChange("homes", "items/" + number, null, new byte[]{1}, 0);
    }

    /** An engine that is asked for nothing but changes. */
    private static ClusterEngine engine(Callable<Outcome> outcome) {
        return (ClusterEngine) Proxy.newProxyInstance(ClusterEngine.class.getClassLoader(),
                new Class<?>[]{ClusterEngine.class}, (proxy, method, values) -> {
                    assertThat(method.getName()).isEqualTo("compareAndSet");
                    return outcome.call();
                });
    }

    @Test
    void aChangeThatIsNotWantedAnyMoreIsRefusedAndNotMade() {
        try (var scope = Scopes.configure().open()) {
            var carriage = new EngineCallers(scope, engine(() -> Outcome.DONE), told::add);
            var wanted = change(1);
            var unwanted = change(2);
            carriage.propose(unwanted);
            carriage.propose(wanted);
            carriage.change(change -> change == wanted);
            soon().untilAsserted(() -> assertThat(told).containsExactlyInAnyOrder(
                    new Input.Proposed(unwanted, Outcome.REFUSED), new Input.Proposed(wanted, Outcome.DONE)));
        }
    }

    @Test
    void anErrorLeavesItsActorFreeForLaterChanges() {
        try (var scope = Scopes.configure().open()) {
            var carriage = new EngineCallers(scope, engine(() -> {
                throw new NoClassDefFoundError("missing");
            }), told::add);
            for (int number = 0; number < 20; number++) {
                carriage.propose(change(number));
            }
            soon().untilAsserted(() -> {
                carriage.change(change -> true);
                assertThat(told).hasSize(20)
                        .allMatch(input -> ((Input.Proposed) input).outcome() == Outcome.UNKNOWN);
            });
        }
    }

    @Test
    void asManyChangesAreUnderwayAsOneTransactionTakes() throws Exception {
        var together = new CountDownLatch(128);
        try (var scope = Scopes.configure().open()) {
            var carriage = new EngineCallers(scope, engine(() -> {
                together.countDown();
                Waits.on(together);
                return Outcome.DONE;
            }), told::add);
            for (int number = 0; number < 128; number++) {
                carriage.propose(change(number));
            }
            carriage.change(change -> true);
            Waits.on(together);
        }
    }
}
