package io.fibry.internal.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.MailboxPolicy.Bounded;
import io.fibry.OverflowPolicy;
import io.fibry.event.HighWater;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.Mailbox.Offer;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.scope.Builder;
import io.fibry.measure.MeasureListener;
import io.fibry.measure.MeasureOptions;
import io.fibry.measure.MeasuredGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The chunks of a bounded mailbox, and the limit up to which senders need not look, one step after another. */
class BoundedChunksTest {
    /** The message after so many is the first one in a chunk, where the first of all has the number one. */
    private static final int NODES = 15;
    private static final int FIRST_CHUNK = 32;
    private static final int SAMPLE = 10;

    private final ActorScope scope = ActorSystem.open("bounded-chunks");
    private final List<HighWater> marks = new ArrayList<>();
    private final List<Object> taken = new ArrayList<>();
    private int sent;

    BoundedChunksTest() {
        scope.listen(event -> {
            if (event instanceof HighWater mark) {
                marks.add(mark);
            }
        });
    }

    @AfterEach
    void close() {
        Steps.end();
        scope.close();
    }

    private BoundedCell<Object, Object> cell(Bounded policy) {
        return new BoundedCell<>(((Builder) scope.anonymous()).spec(), (turn, message) -> message, policy);
    }

    private BoundedCell<Object, Object> cell(int capacity) {
        return cell(MailboxPolicy.bounded(capacity, OverflowPolicy.reject()));
    }

    /** Wakes the actor, whose turn does not run. */
    private void wake(BoundedCell<Object, Object> cell) {
        assertThat(cell.offer(new MessageNode(sent++))).isEqualTo(Offer.WAKE);
    }

    /** Sends the next numbers, so many; returns how many were accepted. */
    private int send(BoundedCell<Object, Object> cell, int count) {
        var accepted = 0;
        for (int n = 0; n < count; n++) {
            accepted += cell.sendMessage(sent++) ? 1 : 0;
        }
        return accepted;
    }

    private void take(BoundedCell<Object, Object> cell, int count) {
        for (int n = 0; n < count; n++) {
            var entry = cell.pollEntry();
            taken.add(entry instanceof MessageNode node ? node.content() : entry == null ? "nothing" : entry);
        }
    }

    @Test
    void keepOrderAndDepth() {
        var cell = cell(5_000);
        wake(cell);
        send(cell, 2_999);
        assertThat(cell.mailboxSize()).isEqualTo(3_000);
        for (int depth = 3_000; depth > 0; depth--) {
            assertThat(cell.mailboxSize()).isEqualTo(depth);
            take(cell, 1);
        }
        assertThat(taken).isEqualTo(Steps.numbers(0, 3_000));
        assertThat(cell.pollEntry()).isNull();
        assertThat(cell.becomeIdle(null)).isTrue();
        assertThat(cell.isIdle()).isTrue();
    }

    @Test
    void takeNoMoreThanTheCapacity() {
        for (var capacity : List.of(1, 2, 3, NODES, NODES + 1, NODES + 2, 40, NODES + FIRST_CHUNK, 1_000)) {
            sent = 0;
            var cell = cell(capacity);
            wake(cell);
            assertThat(send(cell, 2 * capacity)).isEqualTo(capacity - 1);
            for (int n = 0; n < 3 * capacity; n++) {
                take(cell, 1);
                assertThat(send(cell, 2)).isEqualTo(1);
                assertThat(cell.mailboxSize()).isEqualTo(capacity);
            }
        }
    }

    @Test
    void countWhatIsPassedOver() {
        var capacity = 40;
        var cell = cell(capacity);
        wake(cell);
        send(cell, 29);
        take(cell, 10);
        cell.passedOver(10, false);
        assertThat(cell.mailboxSize()).isEqualTo(30);
        assertThat(send(cell, 20)).isEqualTo(10);
        cell.passedOver(5, false);
        assertThat(send(cell, 20)).isEqualTo(5);
        cell.passedOver(0, false);
        assertThat(send(cell, 20)).isEqualTo(5);
    }

    /** Otherwise the message that a receive is about to take counts twice, and another one is refused although there is room. */
    @Test
    void letASenderLookAgainWhileAReceiveTakesAMessage() {
        var cell = cell(2);
        wake(cell);
        cell.passedOver(0, true);
        Steps.atMark(2, () -> {
            take(cell, 1);
            cell.passedOver(1, false);
        });
        assertThat(send(cell, 1)).as("one waits").isEqualTo(1);
        Steps.end();
        assertThat(send(cell, 1)).as("two wait").isZero();
        cell.passedOver(1, true);
        assertThat(send(cell, 1)).as("two wait for certain").isZero();
    }

    @Test
    void letNoSenderTrustALimitThatItHasFoundBeforeMoreWerePassedOver() {
        var cell = cell(40);
        wake(cell);
        take(cell, 1);
        cell.passedOver(1, false); // now there is no limit
        cell.passedOver(0, false);
        // The sender has looked and is about to set a limit, and now ten more wait beside the list.
        Steps.atMark(3, () -> cell.passedOver(10, false));
        send(cell, 1);
        Steps.end();
        assertThat(send(cell, 60)).isEqualTo(29);
        assertThat(cell.mailboxSize()).isEqualTo(40);
    }

    @Test
    void reportTheMarkOnceUntilTheMailboxIsHalfEmpty() {
        var cell = cell(MailboxPolicy.bounded(60, OverflowPolicy.reject()).highWater(40));
        wake(cell);
        send(cell, 38);
        assertThat(marks).isEmpty();
        send(cell, 1);
        assertThat(marks).hasSize(1).last().extracting(HighWater::depth).isEqualTo(40);
        send(cell, 20);
        take(cell, 39);
        assertThat(cell.mailboxSize()).isEqualTo(21);
        send(cell, 30);
        assertThat(marks).hasSize(1);
        take(cell, 31);
        assertThat(cell.mailboxSize()).isEqualTo(20);
        send(cell, 19);
        assertThat(marks).hasSize(1);
        send(cell, 1);
        assertThat(marks).hasSize(2).last().extracting(HighWater::depth).isEqualTo(40);
    }

    @Test
    void reportTheNextTimeThoughAllWasTakenBeforeTheFirstOneWasNoted() {
        var cell = cell(MailboxPolicy.bounded(60, OverflowPolicy.reject()).highWater(40));
        wake(cell);
        send(cell, 38);
        // At the first mark the message has its slot, at the second one it is there, and the sender has not noted the depth.
        Steps.atMark(2, () -> cell.mailboxSize() == 40, () -> take(cell, 40));
        send(cell, 1);
        assertThat(taken).isEqualTo(Steps.numbers(0, 40));
        assertThat(marks).hasSize(1);
        send(cell, 39);
        assertThat(marks).hasSize(1);
        send(cell, 1);
        assertThat(marks).hasSize(2);
    }

    @Test
    void reportATimeThatComesWhileTheNextReportIsMadePossible() {
        var cell = cell(MailboxPolicy.bounded(60, OverflowPolicy.reject()).highWater(40));
        wake(cell);
        send(cell, 39);
        take(cell, 19);
        assertThat(marks).hasSize(1);
        // The turn has found the mailbox half empty, and is about to let senders report again.
        Steps.atMark(1, () -> cell.mailboxSize() == 20, () -> send(cell, 25));
        take(cell, 1);
        take(cell, 10);
        assertThat(cell.mailboxSize()).isEqualTo(35);
        send(cell, 1);
        assertThat(marks).hasSize(2).last().extracting(HighWater::depth).isEqualTo(45);
    }

    /** No handler runs. */
    private static final class Unmeasured implements MeasureListener {
        @Override
        public void onWait(MeasuredGroup group, long nanos) {
            throw new AssertionError(group);
        }

        @Override
        public void onRun(MeasuredGroup group, long nanos) {
            throw new AssertionError(group);
        }
    }

    @Test
    void countMessagesOnceForASample() {
        var timed = new AtomicInteger();
        try (var measured = ActorSystem.configure("sample")
                .measures(new Unmeasured(), MeasureOptions.defaults().withOneOf(SAMPLE)).open()) {
            var cell = new BoundedCell<Object, Object>(((Builder) measured.anonymous()).spec(),
                    (turn, message) -> message, MailboxPolicy.bounded(40, OverflowPolicy.reject())) {
                @Override
                public Offer offer(Node node, boolean hasReserve) {
                    var carried = node.carried();
                    timed.addAndGet(carried != null && carried.isTimed() ? 1 : 0);
                    return super.offer(node, hasReserve);
                }
            };
            wake(cell);
            send(cell, 39);
            timed.set(0);
            assertThat(send(cell, 1_000 * SAMPLE)).as("there is no room").isZero();
        }
        // Were each of them counted twice, there would be nearly twice as many.
        assertThat(timed.get()).isBetween(850, 1_150);
    }

    @Test
    void areLeftWhenTheActorBecomesIdle() {
        var cell = cell(100);
        wake(cell);
        send(cell, NODES + 3);
        take(cell, NODES + 4);
        assertThat(cell.becomeIdle(null)).isTrue();
        wake(cell);
        take(cell, 1);
        assertThat(taken).isEqualTo(Steps.numbers(0, NODES + 5));
        assertThat(cell.becomeIdle(null)).isTrue();
    }

    @Test
    void areNotLeftWhileThereIsAnEntry() {
        var cell = cell(100);
        wake(cell);
        send(cell, NODES + 3);
        take(cell, NODES + 3);
        assertThat(cell.becomeIdle(null)).isFalse();
        assertThat(cell.closeIfLast(null)).isFalse();
        take(cell, 1);
        assertThat(cell.closeIfLast(null)).isTrue();
        assertThat(send(cell, 1)).isZero();
    }

    @Test
    void takeNoMessageOfASenderThatComesTooLate() {
        var cell = cell(100);
        wake(cell);
        send(cell, NODES + 3);
        take(cell, NODES + 4);
        // The sender has read the chunk, and now the actor becomes idle.
        Steps.atMark(1, () -> assertThat(cell.becomeIdle(null)).isTrue());
        assertThat(cell.putMessage("late")).as("needs a node").isFalse();
        assertThat(cell.offer(new MessageNode("late"))).isEqualTo(Offer.WAKE);
    }

    @Test
    void giveWayToANodeBetweenSealAndIdle() {
        var cell = cell(100);
        wake(cell);
        send(cell, NODES + 3);
        take(cell, NODES + 4);
        Steps.atMark(2, () -> assertThat(cell.offer(new MessageNode("between"))).isEqualTo(Offer.QUEUED));
        assertThat(cell.becomeIdle(null)).isFalse();
        take(cell, 1);
        assertThat(taken).last().isEqualTo("between");
        assertThat(cell.becomeIdle(null)).isTrue();
    }

    /** Senders that look at the front meanwhile learn a limit that counts from there. */
    @Test
    void countWhatComesAndIsTakenBeforeTheSeal() {
        var cell = cell(4);
        wake(cell);
        take(cell, 1);
        passThrough(cell, NODES + 3);
        Steps.atMark(1, () -> passThrough(cell, FIRST_CHUNK / 2));
        assertThat(cell.becomeIdle(null)).isTrue();
        assertThat(cell.mailboxSize()).isZero();
        wake(cell);
        assertThat(send(cell, FIRST_CHUNK)).isEqualTo(3);
        assertThat(cell.mailboxSize()).isEqualTo(4);
    }

    private void passThrough(BoundedCell<Object, Object> cell, int count) {
        for (int n = 0; n < count; n++) {
            assertThat(send(cell, 1)).isEqualTo(1);
            take(cell, 1);
        }
    }

    @Test
    void areReclaimed() {
        var cell = cell(100);
        wake(cell);
        send(cell, NODES + 3);
        take(cell, NODES + 4);
        assertThat(cell.becomeIdle(null)).isTrue();
        assertThat(cell.reclaim(null, cell.newMark())).isNotNull();
        assertThat(cell.isIdle()).isFalse();
        assertThat(cell.isNewest(null)).isTrue();
        assertThat(cell.hasNext(null)).isFalse();
        send(cell, 1);
        take(cell, 1);
        assertThat(taken).isEqualTo(Steps.numbers(0, NODES + 5));
        assertThat(cell.becomeIdle(null)).isTrue();
    }

    /** A node that takes no place. */
    private static final class WithoutPlace extends Signal {
        @Override
        public void run(Turn turn) {
        }

        @Override
        public boolean takesPlace() {
            return false;
        }
    }

    /** The front goes past the number that a sender has read before it looks at the front. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "1, 3", "2, 1", "2, 2", "2, 3"})
    void refuseNoMessageBecauseOthersHaveComeAndGone(int mark, int others) {
        var cell = cell(2);
        wake(cell);
        var come = new AtomicInteger();
        Steps.atMark(mark, () -> {
            take(cell, 1);
            passThrough(cell, others);
            come.set(others);
        });
        assertThat(send(cell, 1)).isEqualTo(1);
        assertThat(come).hasValue(others);
        assertThat(cell.mailboxSize()).isEqualTo(1);
    }

    @Test
    void keepNoNodesOfAsksThatAreOver() {
        var cell = cell(100);
        wake(cell);
        send(cell, NODES + 2);
        var given = List.of(cell.sendMessageReturn("ask"), cell.sendMessageReturn("another"),
                cell.execFuture(() -> "code"));
        var kept = cell.sendMessageReturn("kept");
        given.forEach(answer -> assertThat(answer.cancel(true)).isTrue());
        take(cell, NODES + 3);
        var over = Objects.requireNonNull((Node) cell.pollEntry());
        assertThat(over.isOver()).isTrue();
        assertThat(cell.pollEntry()).isSameAs(over);
        assertThat(cell.pollEntry()).isSameAs(over);
        var asked = Objects.requireNonNull((MessageNode) cell.pollEntry());
        assertThat(asked.content()).isEqualTo("kept");
        assertThat(asked.nextAcquire()).as("the chunk that it was in").isNull();
        assertThat(kept).isNotDone();
    }

    @Test
    void holdNoNodeWithoutAPlace() {
        var cell = cell(100);
        wake(cell);
        send(cell, NODES + 3);
        var node = new WithoutPlace();
        assertThat(cell.offer(node)).isEqualTo(Offer.QUEUED);
        assertThat(cell.mailboxSize()).isEqualTo(NODES + 4);
        send(cell, 50);
        assertThat(cell.mailboxSize()).isEqualTo(NODES + 54);
        take(cell, NODES + 4);
        assertThat(cell.pollEntry()).isSameAs(node);
        take(cell, 50);
        assertThat(taken).isEqualTo(Steps.numbers(0, NODES + 54));
        assertThat(cell.becomeIdle(null)).isTrue();
    }

    @Test
    void giveAllThatIsLeftWhenTheMailboxIsClosed() {
        var cell = cell(500);
        wake(cell);
        var count = NODES + FIRST_CHUNK + 40;
        send(cell, count - 1);
        take(cell, NODES + 5);
        var pill = new StopNode(Reason.EXIT);
        cell.offer(pill);
        var left = new ArrayList<>();
        cell.closeMailbox(null,
                node -> left.add(node instanceof MessageNode message ? message.content() : node));
        var expected = Steps.numbers(NODES + 5, count);
        expected.add(pill);
        assertThat(left).isEqualTo(expected);
        assertThat(cell.putMessage("late")).isFalse();
        assertThat(cell.offer(new MessageNode("late"))).isEqualTo(Offer.CLOSED);
    }

    @Test
    void dropTheOldestMessage() {
        var cell = cell(MailboxPolicy.bounded(40, OverflowPolicy.dropOldest()));
        wake(cell);
        assertThat(send(cell, 200)).isEqualTo(200);
        assertThat(cell.mailboxSize()).isEqualTo(40);
        take(cell, 41);
        var expected = Steps.numbers(161, 201);
        expected.add("nothing");
        assertThat(taken).isEqualTo(expected);
        assertThat(cell.counters().dropped()).isEqualTo(161);
    }
}
