package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.message.BatchOptions;
import io.fibry.message.MessageFate;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Batches side by side, in order by key. */
class ParallelBatchesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private record Item(int key, int number) {
    }

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();
    private final List<List<Item>> handled = new CopyOnWriteArrayList<>();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, time);
    }

    private static ParallelBatchOptions<Item> options(int parallel, int most) {
        return ParallelBatchOptions.of(parallel, BatchOptions.of(most, SECOND), Item::key);
    }

    @Promise("46.2")
    @EveryStrategy
    void messagesOfAKeyKeepTheirOrder(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var batches = ParallelBatches.open(scope, "batches", options(3, 4), handled::add);
            var ends = new CopyOnWriteArrayList<CompletableFuture<?>>();
            var senders = new ArrayList<Thread>();
            for (int key = 0; key < 6; key++) {
                int mine = key;
                senders.add(Thread.startVirtualThread(() -> {
                    for (int i = 0; i < 50; i++) {
                        ends.add(batches.process(new Item(mine, i)));
                    }
                }));
            }
            for (var sender : senders) {
                Waits.on(sender);
            }
            time.advance(SECOND);
            for (var end : ends) {
                Waits.on(end);
            }
            Map<Integer, Integer> next = new HashMap<>();
            handled.forEach(batch -> {
                assertThat(batch).hasSizeLessThanOrEqualTo(4);
                batch.forEach(item -> assertThat(item.number())
                        .isEqualTo(next.merge(item.key(), 1, Integer::sum) - 1));
            });
            assertThat(next).hasSize(6).allSatisfy((key, count) -> assertThat(count).isEqualTo(50));
            assertThat(batches.counters().handled()).isEqualTo(300);
        }
    }

    @Promise("46.2")
    @EveryStrategy
    void batchesOfDifferentKeysAreHandledSideBySide(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // all run in the sender
        }
        try (var scope = scope(strategy)) {
            var both = new CountDownLatch(2);
            var batches = ParallelBatches.open(scope, "batches", options(2, 1), batch -> {
                both.countDown();
                Waits.on(both);
            });
            var one = batches.process(new Item(0, 0));
            var two = batches.process(new Item(1, 0));
            Waits.on(one);
            Waits.on(two);
        }
    }

    @Promise("46.2")
    @EveryStrategy
    void aFailureIsThatOfItsBatchAndTheCloseHandlesWhatIsOpen(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var batches = ParallelBatches.open(scope, "batches", options(2, 2), batch -> {
                if (batch.contains(new Item(0, 7))) {
                    throw new IllegalStateException("as wanted");
                }
                handled.add(batch);
            });
            var failed = batches.process(new Item(0, 7));
            var with = batches.sendTracked(new Item(0, 8));
            var open = batches.process(new Item(1, 1));
            assertThat(Waits.failure(failed)).hasMessage("as wanted");
            assertThat(Waits.on(with)).isInstanceOf(MessageFate.Failed.class);
            assertThat(open).isNotDone();
            batches.send(new Item(0, 9));
            var report = batches.stop(Duration.ofSeconds(5));
            assertThat(report.stopped()).isTrue();
            assertThat(report.forced()).isFalse();
            Waits.on(open);
            assertThat(handled).containsExactlyInAnyOrder(List.of(new Item(1, 1)), List.of(new Item(0, 9)));
            assertThat(report.counters().handled()).isEqualTo(2);
            assertThat(report.counters().failed()).isEqualTo(2);
            assertThat(Waits.on(batches.onStopped())).isEqualTo(report);
            assertThat(batches.send(new Item(1, 2))).isFalse();
            assertThat(batches.counters().refused()).isOne();
            assertThatThrownBy(() -> options(0, 1)).hasMessageContaining("parallel");
        }
    }
}
