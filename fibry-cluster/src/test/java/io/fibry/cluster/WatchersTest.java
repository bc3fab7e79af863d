package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.event.Undelivered.Cause;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WatchersTest {
    private static final ClusterGroup<Integer, Integer, Void> NUMBERS =
            ClusterGroup.of("numbers", Integer.class, Integer.class, Void.class, key -> key);

    private static final int SENDERS = 3;
    private static final long MESSAGES = 100_000;

    private final ActorScope scope = ActorSystem.open("watchers");
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch gate = new CountDownLatch(1);
    private final ConcurrentLinkedQueue<ClusterEvent> told = new ConcurrentLinkedQueue<>();
    private final AtomicLong counted = new AtomicLong();

    @AfterEach
    void close() {
        gate.countDown();
        scope.close();
    }

    private static ClusterEvent event(int number) {
        return new ClusterEvent.NotHandled("numbers", number, Cause.NOT_SERVED);
    }

    private static List<ClusterEvent> events(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(WatchersTest::event).toList();
    }

    private void waitAndAdd(ClusterEvent event) {
        begun.countDown();
        try {
            Waits.on(gate);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        told.add(event);
    }

    private void count(ClusterEvent event) {
        switch (event) {
            case ClusterEvent.NotHandled no -> counted.incrementAndGet();
            case ClusterEvent.Missed missed -> counted.addAndGet(missed.events());
            default -> {
            }
        }
    }

    /** Tells four events to a watcher that may have three waiting, beside the first one that it does not end. */
    private Watchers full() throws InterruptedException {
        var watchers = new Watchers(new MembershipLog("a"), 3);
        watchers.add(watchers.watcher(scope, this::waitAndAdd));
        watchers.tell(event(1));
        Waits.on(begun);
        events(2, 4).forEach(watchers::tell);
        return watchers;
    }

    @Promise("80.11")
    @Test
    void aSlowWatcherIsToldHowManyEventsItHasMissed() throws Exception {
        var watchers = full();
        events(5, 9).forEach(watchers::tell);
        watchers.tick();
        gate.countDown();
        soon().until(() -> {
            watchers.tick();
            return told.contains(new ClusterEvent.Missed(5));
        });
        watchers.tell(event(10));
        soon().until(() -> told.size() == 6);
        var all = new ArrayList<>(events(1, 4));
        all.add(new ClusterEvent.Missed(5));
        all.add(event(10));
        assertThat(told).containsExactlyElementsOf(all);
    }

    @Promise("80.11")
    @Test
    void whatTheMailboxOfAWatcherRefusesIsMissed() throws Exception {
        var watchers = new Watchers(new MembershipLog("a"), 3);
        try (var small =
                ActorSystem.configure("small").mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject()))
                        .open()) {
            watchers.add(watchers.watcher(small, this::waitAndAdd));
            watchers.tell(event(1));
            Waits.on(begun);
            events(2, 6).forEach(watchers::tell);
            gate.countDown();
            soon().until(() -> {
                watchers.tick();
                return told.contains(new ClusterEvent.Missed(4));
            });
            events(7, 30).forEach(number -> { // what was refused takes no place
                watchers.tell(number);
                soon().until(() -> told.contains(number));
            });
        }
    }

    @Promise("80.11")
    @Test
    void aWatcherThatIsRemovedIsToldHowManyEventsItHasMissedAndNothingElse() throws Exception {
        var watchers = new Watchers(new MembershipLog("a"), 3);
        var watcher = watchers.watcher(scope, this::waitAndAdd);
        watchers.add(watcher);
        watchers.tell(event(1));
        Waits.on(begun);
        events(2, 6).forEach(watchers::tell);
        watchers.remove(watcher);
        watchers.remove(watcher);
        watchers.tell(event(7));
        watchers.flush();
        gate.countDown();
        soon().until(() -> told.size() == 5);
        scope.close();
        var all = new ArrayList<>(events(1, 4));
        all.add(new ClusterEvent.Missed(2));
        assertThat(told).containsExactlyElementsOf(all);
        assertThat(scope.counters().refused()).isZero();
    }

    @Promise("80.11")
    @Test
    void aFastWatcherIsToldAllWhileASlowOneMissesSome() throws Exception {
        var fast = new ConcurrentLinkedQueue<ClusterEvent>();
        var watchers = full();
        watchers.add(watchers.watcher(scope, fast::add));
        for (var event : events(5, 9)) {
            watchers.tell(event);
            soon().until(() -> fast.contains(event));
        }
        watchers.flush();
        gate.countDown();
        soon().until(() -> told.contains(new ClusterEvent.Missed(5)));
        assertThat(fast).containsExactlyElementsOf(events(5, 9));
    }

    /** What was told before it was added is not for it. */
    @Promise("80.11")
    @Test
    void eachWatcherIsToldWhatHasHappenedSinceItBegan() {
        var first = new ConcurrentLinkedQueue<ClusterEvent>();
        var watchers = new Watchers(new MembershipLog("a"), 100);
        watchers.add(watchers.watcher(scope, first::add));
        var second = watchers.watcher(scope, told::add);
        watchers.tell(event(1));
        watchers.add(second);
        watchers.tell(event(2));
        soon().until(() -> told.size() == 1 && first.size() == 2);
        assertThat(first).containsExactly(event(1), event(2));
        assertThat(told).containsExactly(event(2));
    }

    @Promise("80.11")
    @Test
    void aWatcherWhoseCodeFailsIsToldTheRest() {
        var watchers = new Watchers(new MembershipLog("a"), 3);
        watchers.add(watchers.watcher(scope, event -> {
            told.add(event);
            throw new IllegalStateException("on purpose");
        }));
        for (int number = 1; number <= 10; number++) {
            watchers.tell(event(number));
            var size = number;
            soon().until(() -> told.size() == size);
        }
    }

    /** Senders as fast as they can be, and a watcher that cannot take all. */
    @Promise("80.11")
    @Test
    void eachRefusedMessageIsToldOrCounted() throws Exception {
        var watchers = new Watchers(new MembershipLog("a"), 50);
        watchers.add(watchers.watcher(scope, this::count));
        var senders = IntStream.range(0, SENDERS).mapToObj(sender -> Thread.ofPlatform().start(() -> {
            for (int number = 0; number < MESSAGES; number++) {
                watchers.tell(event(number));
            }
        })).toList();
        for (var sender : senders) {
            Waits.on(sender);
        }
        watchers.flush();
        soon().until(() -> counted.get() >= SENDERS * MESSAGES);
        scope.close();
        assertThat(counted).hasValue(SENDERS * MESSAGES);
    }

    @Promise("80.11")
    @Test
    void allMessagesThatACutOffNodeRefusesAreToldOrCounted() throws Exception {
        var network = new MemoryNetwork();
        try (var a = new TestNode("a", network.node());
                var b = new TestNode("b", network.node());
                var c = Cluster.open(scope, ClusterOptions.on("c", network.node()).slices(16))) {
            soon().until(() -> a.cluster.members().size() == 3 && b.cluster.members().size() == 3);
            var numbers = c.reach(NUMBERS);
            network.cut(a.engine);
            network.cut(b.engine);
            soon().until(() -> !c.serves());
            c.watch(this::count);
            var refused = new AtomicLong();
            var threads = IntStream.range(0, SENDERS).mapToObj(thread -> Thread.ofPlatform().start(() -> {
                for (int number = 0; number < MESSAGES; number++) {
                    refused.addAndGet(numbers.sendMessage(number) ? 0 : 1);
                }
            })).toList();
            for (var thread : threads) {
                Waits.on(thread);
            }
            assertThat(refused).hasValue(SENDERS * MESSAGES);
            soon().until(() -> counted.get() >= SENDERS * MESSAGES);
            network.heal();
        }
        assertThat(counted).hasValue(SENDERS * MESSAGES);
    }
}
