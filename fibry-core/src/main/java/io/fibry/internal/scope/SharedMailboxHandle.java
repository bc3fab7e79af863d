package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.Counters;
import io.fibry.MailboxPolicy;
import io.fibry.Request;
import io.fibry.SharedMailbox;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.MessageStream.MessageSource;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.mailbox.SharedCell;
import io.fibry.internal.mailbox.Transfer;
import io.fibry.internal.mailbox.Transfer.Outcome.Left;
import io.fibry.internal.mailbox.Transfer.Outcome.Moved;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.run.Strategies;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A mailbox that several actors share, as users see it.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
record SharedMailboxHandle<M, R extends @Nullable Object>(
        SharedCell<M, R> cell) implements SharedMailbox<M, R> {
    static <M, R extends @Nullable Object> SharedMailbox<M, R> of(ActorSpec spec) {
        if (!(spec.mailbox() instanceof MailboxPolicy.Bounded bounded)) {
            throw new IllegalStateException(
                    "a shared mailbox"
                            + (spec.nameToGive() == null ? "" : " named '" + spec.nameToGive() + "'")
                            + " has a bound: give the builder mailbox(MailboxPolicy.bounded(capacity, overflow))");
        }
        var fitting = Setting.fitting(spec, Setting.Form.SHARED_MAILBOX);
        var cell = new SharedCell<M, R>(fitting.on(Strategies.FIBERS), bounded);
        Scope.of(spec).admitWaiting(cell, cell.opening());
        return new SharedMailboxHandle<>(cell);
    }

    // ---- Sending. ----

    @Override
    public String name() {
        return cell.name();
    }

    @Override
    public boolean sendMessage(M message) {
        return sent(cell.sendMessage(message));
    }

    @Override
    public boolean sendMessage(M message, Duration timeToLive) {
        return sent(cell.sendMessage(message, timeToLive));
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message) {
        return sent(cell.sendTracked(message));
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message, Duration timeToLive) {
        return sent(cell.sendTracked(message, timeToLive));
    }

    @Override
    public CompletableFuture<R> sendMessageReturn(M message) {
        return sent(cell.sendMessageReturn(message));
    }

    @Override
    public CompletableFuture<R> ask(M message, Duration timeout) {
        return sent(cell.ask(message, timeout));
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request) {
        return sent(cell.request(request));
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request, Duration timeout) {
        return sent(cell.request(request, timeout));
    }

    private <T> T sent(T result) {
        cell.wake();
        return result;
    }

    // ---- Handing over. ----

    @Override
    public HandOver handOver(Function<? super M, Optional<Actor<M, R>>> chooser) {
        Objects.requireNonNull(chooser, "chooser");
        StackReserve.require(); // before a node is taken
        while (true) {
            var node = cell.take();
            if (node == null) {
                return HandOver.EMPTY;
            }
            var result =
                    node instanceof MessageNode message && message.code() == null ? handOver(message, chooser)
                            : skipped(node);
            if (result != HandOver.EMPTY) {
                return result;
            }
        }
    }

    /** Skips a node of the engine, or code that was given to the mailbox as to an actor. */
    private HandOver skipped(Node node) {
        cell.lose(node, Cause.STOPPED_BEFORE_TURN, null);
        cell.gave();
        return HandOver.EMPTY;
    }

    /** Hands a node over that was taken; returns {@code EMPTY} if its message is over. */
    private HandOver handOver(MessageNode node, Function<? super M, Optional<Actor<M, R>>> chooser) {
        @Nullable MessageNode back = node;
        try {
            var message = node.isOver() ? null : node.content();
            var chosen = message == null ? Optional.<Actor<M, R>>empty() : choose(chooser, message);
            if (message != null && chosen.isEmpty()) {
                return HandOver.LEFT;
            }
            var outcome = Transfer.give(node, cell, chosen.isEmpty() ? cell : cellOf(chosen.get()));
            if (outcome instanceof Left left) {
                back = left.node();
                return HandOver.ENDED;
            }
            back = null;
            return outcome instanceof Moved ? HandOver.HANDED : HandOver.EMPTY;
        } finally {
            if (back == null) {
                cell.gave();
            } else {
                cell.giveBack(back);
            }
        }
    }

    @SuppressWarnings("unchecked") // a request of another protocol fails in the handler, as documented
    private Optional<Actor<M, R>> choose(Function<? super M, Optional<Actor<M, R>>> chooser, Object message) {
        return Objects.requireNonNull(chooser.apply((M) message), "the choice of an actor");
    }

    private Cell cellOf(Actor<M, R> actor) {
        if (actor instanceof Cell known) {
            return known;
        }
        throw new IllegalArgumentException("the messages of mailbox '" + name()
                + "' can be handed over to actors that a builder of the library has made, and not to a "
                + actor.getClass().getName());
    }

    @Override
    public void takenBy(Actor<M, R> actor, BooleanSupplier mayTake, BooleanSupplier whenIdle) {
        cellOf(Objects.requireNonNull(actor, "actor")).extendedState().source = new Source(cell,
                Objects.requireNonNull(mayTake, "mayTake"), Objects.requireNonNull(whenIdle, "whenIdle"));
    }

    /** The mailbox as an actor uses it that has no message of its own. */
    private record Source(SharedCell<?, ?> cell, BooleanSupplier mayTake,
            BooleanSupplier whenIdle) implements MessageSource {
        @Override
        public @Nullable Object take(Turn turn) {
            assert Interleave.here(); // a message may come in between
            try {
                return mayTake.getAsBoolean() && !turn.cell.exitRequested() ? cell.takeFor(turn.cell) : null;
            } catch (StackOverflowError deep) {
                return null; // nothing was taken, and the call of whenIdle sees to what waits
            }
        }

        @Override
        public boolean look() {
            assert Interleave.here();
            try {
                return whenIdle.getAsBoolean();
            } catch (StackOverflowError deep) {
                cell.wakeElsewhere();
                return false;
            }
        }
    }

    @Override
    public void whenWaiting(Runnable code) {
        cell.whenWaiting(Objects.requireNonNull(code, "code"));
    }

    @Override
    public void servedBy(Supplier<Optional<List<Actor<M, R>>>> actors) {
        Objects.requireNonNull(actors, "actors");
        cell.servedBy(new Servers<>(this, actors));
    }

    /** The actors that take messages, as the engine sees them. */
    private record Servers<M, R extends @Nullable Object>(SharedMailboxHandle<M, R> mailbox,
            Supplier<Optional<List<Actor<M, R>>>> actors) implements Supplier<Optional<List<Cell>>> {
        @Override
        public Optional<List<Cell>> get() {
            var known = actors.get();
            if (known.isEmpty()) {
                return Optional.empty();
            }
            var cells = new ArrayList<Cell>();
            for (var actor : known.get()) {
                cells.add(mailbox.cellOf(actor));
            }
            return Optional.of(cells);
        }
    }

    // ---- Queries and the end. ----

    @Override
    public int waiting() {
        return cell.mailboxSize();
    }

    @Override
    public boolean isClosing() {
        return cell.exitRequested() || Scope.of(cell.spec()).isClosing();
    }

    @Override
    public Counters counters() {
        return cell.counters();
    }

    @Override
    public void close() {
        cell.askExit();
    }

    @Override
    public String toString() {
        return "SharedMailbox[" + name() + ", " + waiting() + " waiting]";
    }
}
