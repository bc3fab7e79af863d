package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.cluster.LetterBody.Want;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.home.Letter;
import io.fibry.cluster.stream.Verdict;
import io.fibry.internal.keyed.SharedKeys;
import io.fibry.internal.scope.TravellingContext;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Sneaky;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the actors of a node do with what the member delivers, and when they tell it so. The couriers work on the thread of the test. */
class HostedGroupTest {
    private static final ClusterGroup<String, String, Void> GROUP =
            ClusterGroup.of("texts", String.class, String.class, Void.class, text -> "key");
    private static final CreationStrategy INLINE = CreationStrategy.caller();
    private static final CreationStrategy ASIDE = CreationStrategy.fibers();

    private final LinkedBlockingQueue<Input> told = new LinkedBlockingQueue<>();
    private final ConcurrentLinkedQueue<String> handled = new ConcurrentLinkedQueue<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicBoolean serves = new AtomicBoolean(true);
    private long number;

    /** A group of one slice, which is at home here. */
    private HostedGroup<String, String, Void> open(ActorScope scope, CreationStrategy strategy,
            Handler handler) {
        var actors = scope.named("texts").strategy(strategy)
                .mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject()))
                .<String, String>keyed(GROUP.keyOf())
                .<Void>newActorsWithReturnFrom(key -> (self, text) -> {
                    handler.handle(text);
                    handled.add(text);
                    return null;
                });
        var codec = new GroupCodec<>(GROUP);
        var group = new HostedGroup<>(scope, GROUP, codec, new SliceOfKey(1, codec::bytes), actors,
                SharedKeys.of(actors).orElseThrow(), new LetterContext(TravellingContext.of(scope)),
                told::add, node -> new ClusterNode(node, "b", true), serves::get,
                (slice, entry) -> Optional.empty());
        group.opened(0, new byte[0]);
        return group;
    }

    private interface Handler {
        void handle(String text) throws Exception;
    }

    private void waitAtGate(String text) throws InterruptedException {
        begun.countDown();
        Waits.on(gate);
    }

    private HomeDelivery tell(HostedGroup<String, String, Void> to, String text) {
        var body = new LetterBody(Want.TELL, new byte[0], new GroupCodec<>(GROUP).bytes(text));
        var delivery = new HomeDelivery(new UUID(2, 2), 1, ++number, GROUP.name(), 0, 1, 0,
                Letter.NO_DEADLINE, body.bytes());
        to.deliver(delivery);
        return delivery;
    }

    private Input awaitTold() throws InterruptedException {
        var input = told.poll(Patience.MILLIS, TimeUnit.MILLISECONDS);
        assertThat(input).as("what the member is told within 30 s").isNotNull();
        return input;
    }

    @Promise("78.1")
    @Test
    void aMessageIsAcknowledgedWhenItIsInTheMailbox() {
        var before = new ArrayList<Input>();
        try (var scope = Scopes.configure().strategy(INLINE).open()) {
            var group = open(scope, INLINE, text -> before.addAll(told));
            var delivery = tell(group, "text");
            assertThat(handled).containsExactly("text");
            assertThat(before).as("what was told before the actor had the message").isEmpty();
            assertThat(told).containsExactly(new Input.Settled(delivery, Verdict.TAKEN));
        }
    }

    /** A process that was frozen goes on before anybody has told it that its lease is over. */
    @Promise("92.2")
    @Test
    void nothingBeginsWithoutALease() throws Exception {
        try (var scope = Scopes.configure().strategy(INLINE).open()) {
            var group = open(scope, ASIDE, this::waitAtGate);
            tell(group, "at work");
            Waits.on(begun);
            tell(group, "waits");
            serves.set(false);
            gate.countDown();
            while (group.actors().live() > 0 && handled.size() < 2) {
                Thread.onSpinWait();
            }
            // What comes before the end of the slice makes another actor, which does not begin either.
            tell(group, "comes later");
        }
        assertThat(handled).containsExactly("at work");
    }

    @Promise("80.7")
    @Test
    void aMessageForWhichThereIsNoRoomIsNotAcknowledged() throws Exception {
        try (var scope = Scopes.configure().strategy(INLINE).open()) {
            var group = open(scope, ASIDE, this::waitAtGate);
            var first = tell(group, "at work");
            Waits.on(begun);
            var second = tell(group, "waits");
            var third = tell(group, "too much");
            gate.countDown();
            assertThat(told).containsExactly(new Input.Settled(first, Verdict.TAKEN),
                    new Input.Settled(second, Verdict.TAKEN), new Input.Settled(third, Verdict.FULL));
        }
        assertThat(handled).containsExactly("at work", "waits");
    }

    @Promise("77.2")
    @Test
    void whatComesAfterANodeWasCutOffIsNotHandled() {
        try (var scope = Scopes.configure().strategy(INLINE).open()) {
            var group = open(scope, INLINE, text -> {});
            group.end(0, false);
            group.endHalted();
            told.clear();
            var delivery = tell(group, "too late");
            assertThat(told).contains(new Input.Settled(delivery, Verdict.STOPPED));
        }
        assertThat(handled).isEmpty();
    }

    private record Place(int number) {
    }

    /** There may be very many keys, and 256 slices. */
    @Promise("77.2")
    @Test
    void aNodeThatIsCutOffLooksAtEachKeyOnce() throws Exception {
        var places = ClusterGroup.of("places", Place.class, Place.class, Void.class, place -> place);
        var codec = new GroupCodec<>(places);
        var looks = new AtomicInteger();
        var slices = new SliceOfKey(16, key -> {
            looks.incrementAndGet();
            return codec.bytes(key);
        });
        try (var scope = Scopes.configure().strategy(INLINE).open()) {
            var actors = scope.named("places").strategy(ASIDE).<Place, Place>keyed(places.keyOf())
                    .<Void>newActorsWithReturnFrom(key -> (self, place) -> {
                        Waits.on(gate);
                        return null;
                    });
            var group = new HostedGroup<>(scope, places, codec, slices, actors,
                    SharedKeys.of(actors).orElseThrow(), new LetterContext(TravellingContext.of(scope)),
                    told::add, node -> new ClusterNode(node, "b", true), serves::get,
                    (slice, entry) -> Optional.empty());
            IntStream.range(0, 16).forEach(slice -> group.opened(slice, new byte[0]));
            IntStream.range(0, 100).forEach(number -> actors.sendMessage(new Place(number)));
            assertThat(actors.live()).isEqualTo(100);
            IntStream.range(0, 16).forEach(slice -> group.end(slice, false));
            group.endHalted();
            assertThat(looks).hasValue(100);
            gate.countDown();
            for (int slice = 0; slice < 16; slice++) {
                assertThat(awaitTold()).isInstanceOf(Input.Drained.class);
            }
        }
    }

    @Promise("80.7")
    @Test
    void whileTheActorsStopNothingIsRefusedAsTooMuch() throws Exception {
        try (var scope = Scopes.configure().strategy(INLINE).open()) {
            var group = open(scope, ASIDE, this::waitAtGate);
            tell(group, "at work");
            Waits.on(begun);
            var stops = Thread.ofVirtual().start(() -> group.actors().stop(TestNode.LIMIT));
            var keys = SharedKeys.of(group.actors()).orElseThrow();
            Waits.soon().until(keys::isStopping);
            told.clear();
            var late = tell(group, "late");
            gate.countDown();
            assertThat(told).containsExactly(new Input.Settled(late, Verdict.STOPPED));
            Waits.on(stops);
        }
    }

    /** A mailbox may throw when it is full. */
    @Promise("85.5")
    @Test
    void anAskOfTheActorsHereFailsWithWhatItsMailboxThrows() throws Exception {
        try (var scope = Scopes.configure().strategy(INLINE).open()) {
            var group = open(scope, INLINE, text -> {});
            for (var thrown : List.of(new IllegalStateException("full"), new AssertionError("full"))) {
                assertThat(Waits.failure(group.askHere(0, () -> {
                    throw Sneaky.thrown(thrown);
                }))).isSameAs(thrown);
            }
        }
    }

    @Promise("77.1")
    @Test
    void aSliceHasEndedWhenItsActorsHave() throws Exception {
        try (var scope = Scopes.configure().strategy(INLINE).open()) {
            var group = open(scope, ASIDE, this::waitAtGate);
            tell(group, "at work");
            Waits.on(begun);
            told.clear();
            group.end(0, true);
            var early = List.copyOf(told);
            gate.countDown();
            assertThat(early).isEmpty();
            assertThat(awaitTold()).isEqualTo(new Input.Drained(group, 0, 1));
            assertThat(handled).containsExactly("at work");
        }
    }

    /** The member may hear of an end when it has begun another one, which finds more actors. */
    @Promise("77.1")
    @Test
    void anEndIsToldApartFromTheOneBefore() throws Exception {
        try (var scope = Scopes.configure().strategy(INLINE).open()) {
            var group = open(scope, INLINE, text -> {});
            group.end(0, true);
            group.end(0, false);
            group.endHalted();
            var before = new Input.Drained(group, 0, 1);
            var last = new Input.Drained(group, 0, 2);
            assertThat(List.of(awaitTold(), awaitTold())).containsExactly(before, last);
            assertThat(group.isNewest(before)).isFalse();
            assertThat(group.isNewest(last)).isTrue();
        }
    }

    @Promise("77.1")
    @Test
    void aSliceHasNotEndedWhileASenderIsInside() throws Exception {
        try (var scope = Scopes.configure().strategy(INLINE).open()) {
            var group = open(scope, ASIDE, text -> {});
            assertThat(group.enter(0)).isTrue();
            group.end(0, true);
            assertThat(group.enter(0)).isFalse();
            assertThat(told).isEmpty();
            group.leave(0);
            assertThat(awaitTold()).isEqualTo(new Input.Drained(group, 0, 1));
        }
    }
}
