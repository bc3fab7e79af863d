package io.fibry.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.internal.scope.Behaviors;
import io.fibry.testing.Patience;
import io.fibry.time.ManualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Slots, rescues and marks, with looks at the lanes that only the test takes. */
class LanesTest {
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final Lanes lanes =
            new Lanes(lane -> threads.add(Thread.ofVirtual().start(lane)), new ManualTime(),
                    true, YieldingHandoff.INSTANCE, 1);
    private final ActorScope scope = ActorSystem.configure("lanes")
            .strategy(new On(Placement.onFibers(lanes, YieldingHandoff.INSTANCE))).open();
    private final Semaphore received = new Semaphore(0);
    private final AtomicInteger messages = new AtomicInteger();
    private volatile Thread receivedOn = Thread.currentThread();
    private final Actor<String, Void> receiver = receiver();

    private record On(Placement placement) implements Placement.Known {
    }

    /** What a handler does after it has sent: blocks, or computes, or one after the other. */
    private final class Next {
        final CountDownLatch sent = new CountDownLatch(1);
        final CountDownLatch blockUntil = new CountDownLatch(1);
        volatile boolean computeUntil;
        volatile boolean computes;
        volatile Thread thread = Thread.currentThread();

        void run() throws InterruptedException {
            thread = Thread.currentThread();
            sent.countDown();
            blockUntil.await();
            computes = true;
            while (!computeUntil) {
                Thread.onSpinWait();
            }
        }

        void blocks() throws InterruptedException {
            sent.await();
            Patience.spin("it blocks", () -> thread.getState() == Thread.State.WAITING);
        }

        void computes() {
            blockUntil.countDown();
            Patience.spin("it computes", () -> computes);
        }

        void ends() {
            blockUntil.countDown();
            computeUntil = true;
        }
    }

    private Actor<String, Void> receiver() {
        return scope.anonymous().newActor((String message) -> {
            messages.incrementAndGet();
            receivedOn = Thread.currentThread();
            received.release();
        });
    }

    private Next sendAndBlock() throws InterruptedException {
        return sendAndBlock(receiver);
    }

    /** Each call makes an actor whose handler has the same class as those of the other calls. */
    private Next sendAndBlock(Actor<String, Void> to) throws InterruptedException {
        var next = new Next();
        scope.anonymous().newActor((Next what) -> {
            to.sendMessage("hello");
            what.run();
        }).sendMessage(next);
        next.blocks();
        return next;
    }

    private void assertNotReceived(int before) {
        assertThat(messages).as("received, although nobody has looked").hasValue(before);
    }

    private void awaitReceived() throws InterruptedException {
        assertThat(received.tryAcquire(Patience.MILLIS, TimeUnit.MILLISECONDS)).as("received").isTrue();
        // Until its turn has ended it would take at once what comes.
        Patience.spin("its turn ends", () -> receiver.state() == ActorState.IDLE);
    }

    @AfterEach
    void close() {
        scope.close();
    }

    @Test
    void aReceiverRunsOnTheSendersThreadWhenTheHandlerIsDone() throws Exception {
        var next = sendAndBlock();
        assertNotReceived(0);
        next.ends();
        awaitReceived();
        assertThat(receivedOn).isSameAs(next.thread);
    }

    @Test
    void aReceiverInASlotStartsElsewhereWhenItsSenderWaitsWithATimeLimit() throws Exception {
        var answer = new CompletableFuture<String>();
        var asked = new CompletableFuture<Thread>();
        var slow = scope.anonymous().newActorWithReturn((String message) -> {
            asked.complete(Thread.currentThread());
            return answer.get();
        });
        var late = scope.anonymous().newActorWithReturn((String message) -> {
            try {
                return slow.sendMessageReturn(message).get(1, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                return Thread.currentThread();
            }
        });
        var asker = late.sendMessageReturn("hello").get(Patience.MILLIS, TimeUnit.MILLISECONDS);
        assertThat(asker).as("the time-out comes although the actor that was asked still runs")
                .isInstanceOf(Thread.class).isNotSameAs(asked.get());
        answer.complete("at last");
    }

    @Test
    void withoutLanesAReceiverStartsAtOnce() throws Exception {
        var off = new Lanes(lane -> Thread.ofVirtual().start(lane), new ManualTime(), false,
                YieldingHandoff.INSTANCE,
                1);
        try (var plain = ActorSystem.configure("off")
                .strategy(new On(Placement.onFibers(off, YieldingHandoff.INSTANCE))).open()) {
            var begun = new CompletableFuture<Thread>();
            var to = plain.anonymous().newActor((String message) -> begun.complete(Thread.currentThread()));
            var from = plain.anonymous().newActorWithReturn((String message) -> {
                to.sendMessage(message);
                return begun.get(Patience.MILLIS, TimeUnit.MILLISECONDS) != Thread.currentThread(); // by nobody's look at the lanes
            });
            assertThat(from.sendMessageReturn("hello").get()).isTrue();
        }
    }

    @Test
    void aBlockedHandlerLosesItsSlotAndItsKindStartsReceiversAtOnceFromThenOn() throws Exception {
        var first = sendAndBlock();
        lanes.look();
        assertNotReceived(0);
        lanes.look();
        awaitReceived();
        var second = sendAndBlock();
        awaitReceived();
        first.ends();
        second.ends();
    }

    @Test
    void aHandlerThatOnlyComputesLosesItsSlotAndNothingElse() throws Exception {
        var first = sendAndBlock();
        first.computes();
        lanes.look();
        assertIsRescuedButNotMarked(first);
    }

    @Test
    void oneUnluckyLookCondemnsNobody() throws Exception {
        var first = sendAndBlock();
        lanes.look();
        first.computes();
        assertIsRescuedButNotMarked(first);
    }

    private void assertIsRescuedButNotMarked(Next first) throws InterruptedException {
        lanes.look();
        awaitReceived();
        first.ends();
        var second = sendAndBlock();
        assertNotReceived(1);
        second.ends();
        awaitReceived();
    }

    @Test
    void aMarkFades() {
        var eagerness = new BlockingHandlers();
        var kind = Behaviors.handler((String message) -> {
        });
        var other = Behaviors.handler((String message) -> {
        });
        assertThat(eagerness.startsAtOnce(kind.handlerClass())).isFalse();
        eagerness.mark(kind.handlerClass());
        for (int i = 0; i < BlockingHandlers.STARTS_AT_ONCE; i++) {
            assertThat(eagerness.startsAtOnce(kind.handlerClass())).isTrue();
            assertThat(eagerness.startsAtOnce(other.handlerClass())).isFalse();
        }
        assertThat(eagerness.startsAtOnce(kind.handlerClass())).isFalse();
    }

    @Test
    void manyBlockedHandlersTakeUpNoPlaces() throws Exception {
        var blocked = new ArrayList<Next>();
        for (int i = 0; i < 1_000; i++) {
            blocked.add(sendAndBlock(receiver()));
            if (i % 10 == 0) {
                lanes.look();
            }
        }
        lanes.look();
        lanes.look();
        Patience.spin("all are received", () -> messages.get() == 1_000);
        Patience.spin("the lanes of those who have received end",
                () -> threads.stream().filter(Thread::isAlive).count() == 1_000);
        lanes.look(); // what has made progress since the last look
        lanes.look(); // is seen not to go on
        lanes.look(); // and is done with
        assertThat(lanes.look()).as("a lane is seen").isFalse();
        blocked.forEach(Next::ends);
    }

    @Test
    void whenAllPlacesAreTakenAReceiverStartsAtOnce() throws Exception {
        var blocked = new ArrayList<Next>();
        for (int i = 0; i < 65; i++) {
            blocked.add(sendAndBlock(receiver()));
        }
        awaitReceived();
        assertThat(messages.get()).isEqualTo(1);
        blocked.forEach(Next::ends);
    }

    @Test
    void whenAllBacklogsAreTakenWhatOverflowsStartsAllTheSame() throws Exception {
        var blocked = new ArrayList<Next>();
        for (int i = 0; i < 100; i++) {
            var next = new Next();
            var others = List.of(receiver(), receiver(), receiver());
            scope.anonymous().newActor((Next what) -> {
                others.forEach(other -> other.sendMessage("hello"));
                what.run();
            }).sendMessage(next);
            next.blocks();
            blocked.add(next);
            var displaced = 2 * (i + 1);
            Patience.spin("what had to make room is received", () -> messages.get() >= displaced);
        }
        lanes.look();
        lanes.look();
        Patience.spin("all are received", () -> messages.get() == 300);
        blocked.forEach(Next::ends);
    }
}
