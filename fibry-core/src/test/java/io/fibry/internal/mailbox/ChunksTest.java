package io.fibry.internal.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.Mailbox.Offer;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.scope.Builder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The chunks of a mailbox, one step after another. */
class ChunksTest {
    /** The message after so many is the first one in a chunk. */
    private static final int NODES = 15;
    private static final int FIRST_CHUNK = 32;

    private final ActorScope scope = ActorSystem.open("chunks");
    private final UnboundedCell<Object, Object> cell =
            new UnboundedCell<>(((Builder) scope.anonymous()).spec(), (turn, message) -> message);
    private final List<Object> taken = new ArrayList<>();
    private Node last = new MessageNode(0);

    @AfterEach
    void close() {
        Steps.end();
        scope.close();
    }

    /** Sends the messages 0, 1, 2 and so on, so many. No turn runs. */
    private void send(int count) {
        assertThat(cell.offer(last)).isEqualTo(Offer.WAKE);
        for (int n = 1; n < count; n++) {
            assertThat(cell.sendMessage(n)).isTrue();
        }
    }

    /** Takes what is there, as the turn does that has begun with the first message. */
    private void takeAll() {
        for (var at = cell.poll(last); at != null; at = cell.poll(last)) {
            last = at;
            taken.add(((MessageNode) at.entryAsNode()).content());
        }
    }

    @Test
    void keepOrderAndNumbers() {
        var count = 3_000; // nodes, and chunks of all sizes
        send(count);
        assertThat(cell.mailboxSize()).isEqualTo(count);
        assertThat(cell.newest()).isEqualTo(count);
        takeAll();
        assertThat(taken).isEqualTo(Steps.numbers(1, count));
        assertThat(cell.becomeIdle(last)).isTrue();
        assertThat(cell.isIdle()).isTrue();
        assertThat(cell.mailboxSize()).isZero();
    }

    @Test
    void numberNodesInTheirSlots() {
        send(NODES + 3);
        var node = new StopNode(Reason.EXIT);
        assertThat(cell.offer(node)).isEqualTo(Offer.QUEUED);
        assertThat(node.seq).isEqualTo(NODES + 4);
        assertThat(cell.before(node)).isEqualTo(NODES + 3);
        assertThat(cell.mailboxSize()).isEqualTo(NODES + 4);
    }

    @Test
    void areLeftWhenTheActorBecomesIdle() {
        send(NODES + 3);
        takeAll();
        assertThat(cell.becomeIdle(last)).isTrue();
        last = new MessageNode("again");
        assertThat(cell.offer(last)).isEqualTo(Offer.WAKE);
        assertThat(cell.poll(last)).isNull();
    }

    @Test
    void areNotLeftWhileThereIsAnEntry() {
        send(NODES + 3);
        takeAll();
        cell.sendMessage("late");
        assertThat(cell.becomeIdle(last)).isFalse();
        assertThat(cell.closeIfLast(last)).isFalse();
        takeAll();
        assertThat(taken).endsWith("late");
        assertThat(cell.becomeIdle(last)).isTrue();
    }

    @Test
    void takeNoMessageOfASenderThatHasSeenThemAndComesTooLate() {
        send(NODES + 3);
        takeAll();
        var late = new MessageNode("late");
        // The sender has read the chunk, and now the actor becomes idle.
        Steps.atMark(1, () -> assertThat(cell.becomeIdle(last)).isTrue());
        assertThat(cell.putMessage("late")).as("needs a node").isFalse();
        assertThat(cell.offer(late)).isEqualTo(Offer.WAKE);
    }

    @Test
    void takeNoMessageWhenAnIdleActorIsStopped() {
        send(NODES + 3);
        takeAll();
        Steps.atMark(1, () -> assertThat(cell.closeIfLast(last)).isTrue());
        assertThat(cell.putMessage("late")).isFalse();
        assertThat(cell.offer(new MessageNode("late"))).isEqualTo(Offer.CLOSED);
    }

    @Test
    void giveWayToANodeBetweenSealAndIdle() {
        send(NODES + 3);
        takeAll();
        // The chunk is sealed, and the mailbox is not idle yet.
        Steps.atMark(1, () -> assertThat(cell.sendMessage("between")).isTrue());
        assertThat(cell.becomeIdle(last)).isFalse();
        assertThat(cell.newest()).isEqualTo(NODES + 4);
        cell.awaitLink(last);
        takeAll();
        assertThat(taken).endsWith("between");
        assertThat(last.seq).isEqualTo(NODES + 4);
        assertThat(cell.becomeIdle(last)).isTrue();
    }

    @Test
    void giveAllThatIsLeftWhenTheMailboxIsClosed() {
        var count = NODES + FIRST_CHUNK + 40;
        send(count);
        for (int n = 0; n < NODES + 5; n++) {
            last = cell.poll(last);
            taken.add(last.entry() instanceof MessageNode node ? node.content() : n + 1);
        }
        var pill = new StopNode(Reason.EXIT);
        cell.offer(pill);
        var left = new ArrayList<>();
        cell.closeMailbox(last,
                node -> left.add(node instanceof MessageNode message ? message.content() : node));
        var expected = Steps.numbers(NODES + 6, count);
        expected.add(pill);
        assertThat(left).isEqualTo(expected);
        assertThat(cell.putMessage("late")).isFalse();
        assertThat(cell.offer(new MessageNode("late"))).isEqualTo(Offer.CLOSED);
    }

    /** A node that lies in a slot knows its chunk, so that its slot needs no node when its ask is over. */
    @Test
    void keepNoNodesOfAsksThatAreOver() {
        send(NODES + 3);
        var given = List.of(cell.sendMessageReturn("ask"), cell.sendMessageReturn("another"),
                cell.execFuture(() -> "code"));
        var kept = cell.sendMessageReturn("kept");
        given.forEach(answer -> assertThat(answer.cancel(true)).isTrue());
        var entries = new ArrayList<Node>();
        for (var at = cell.poll(last); at != null; at = cell.poll(last)) {
            last = at;
            entries.add(at.entryAsNode());
        }
        assertThat(entries).hasSize(NODES + 6);
        var over = entries.get(NODES + 2);
        assertThat(over.isOver()).isTrue();
        assertThat(entries.subList(NODES + 2, NODES + 5))
                .allSatisfy(entry -> assertThat(entry).isSameAs(over));
        var asked = (MessageNode) entries.get(NODES + 5);
        assertThat(asked.content()).isEqualTo("kept");
        assertThat(asked.nextAcquire()).as("the chunk that it was in").isNull();
        assertThat(kept).isNotDone();
    }

    @Test
    void areMadeByOneSenderWhenTwoFindThemFull() {
        send(NODES + FIRST_CHUNK);
        // Both find the chunk full, and the other one is faster.
        Steps.atMark(2, () -> assertThat(cell.sendMessage("other")).isTrue());
        assertThat(cell.sendMessage("mine")).isTrue();
        takeAll();
        assertThat(taken).hasSize(NODES + FIRST_CHUNK + 1).endsWith("other", "mine");
        assertThat(cell.mailboxSize()).isEqualTo(NODES + FIRST_CHUNK + 2);
    }

    /** Sends from so deep a recursion that some of the sends overflow the stack, each at another place. */
    private final class Deep {
        private static final int SENDS = 400;
        final List<Object> accepted = new ArrayList<>();
        private int sent;

        void recurse() {
            try {
                recurse();
            } catch (StackOverflowError e) {
                // From here on up there is a little more stack at each level.
            }
            if (sent < SENDS) {
                try {
                    send();
                } catch (StackOverflowError e) {
                    // Then the message is in, or it is not.
                }
            }
        }

        private void send() {
            var mine = NODES + ++sent;
            if (sent % 2 == 0 ? cell.putMessage(mine) : cell.offer(new MessageNode(mine)) == Offer.QUEUED) {
                accepted.add(mine);
            }
        }
    }

    @Test
    void haveNoSlotWithoutAnEntryWhateverOverflows() throws InterruptedException {
        send(NODES + 1);
        var deep = new Deep();
        var sender = new Thread(null, deep::recurse, "deep", 256 * 1024);
        sender.start();
        sender.join();
        takeAll();
        assertThat(deep.accepted).isNotEmpty();
        assertThat(taken).containsAll(deep.accepted).doesNotHaveDuplicates();
        assertThat(cell.becomeIdle(last)).as("no slot is claimed and empty").isTrue();
    }
}
