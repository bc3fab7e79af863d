package io.fibry.durable;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.durable.Frames.Letter;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Sent;
import io.fibry.function.ContextHandler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the messages of the outboxes of a group, as the handler of one actor. Of each sending key one message is under way
 * at a time, so that they arrive in order. A message that fails is sent again after a while.
 */
final class Outbox implements ContextHandler<Outbox.Call> {
    /** For how long an answer may take before the message is sent again. */
    static final Duration ANSWER = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    private static final Duration PAUSE_OF_READING = Duration.ofSeconds(1);
    private static final int PAGE = 10_000;

    private final DurableStore store;
    private final String group;
    private final Map<Id, Deque<Parcel>> parcels = new HashMap<>();
    /**
     * Whether the store may have unsent turns that were not read. A turn that is committed meanwhile is behind them and is read with
     * them, so that the messages of a key leave in their order.
     */
    private boolean more = true;
    /** The pause after the next read that fails. */
    private Duration readAgain = PAUSE_OF_READING;
    /** Complete when all turns that have been sent are marked in the store. */
    private CompletableFuture<Boolean> marked = CompletableFuture.completedFuture(true);

    Outbox(DurableStore store, String group) {
        this.store = store;
        this.group = group;
    }

    @Override
    public void handle(ActorContext<Call, Void> context, Call call) {
        switch (call) {
            case Begin begin -> begin(context);
            case Committed committed -> {
                // mutant: new-messages-overtake-those-of-the-process-before
                if (!more) {
                    add(context, committed.id(), committed.revision(), committed.letters());
                }
            }
            case Answered answered -> answered(context, answered);
            case Again again -> send(context, again.id());
        }
    }

    private void begin(ActorContext<Call, Void> context) {
        if (!marked.isDone()) {
            readLater(context); // else turns that have been sent would be read as unsent
            return;
        }
        try {
            // The turns in memory are read again, and a page behind them: a receiver that always fails holds up no page.
            int most = PAGE + parcels.values().stream().mapToInt(Deque::size).sum();
            var turns = store.unsent(group, most);
            more = turns.size() == most;
            readAgain = PAUSE_OF_READING;
            for (var turn : turns) {
                add(context, turn.id(), turn.revision(), Frames.letters(turn.outbox()));
            }
            if (more) {
                context.timers().once(group, PAUSE_OF_READING, new Begin());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.warn("the unsent messages of {} could not be read; they are read again in {}", group,
                    readAgain, e);
            context.timers().once(group, readAgain, new Begin());
            readAgain = longer(readAgain);
        }
    }

    private static Duration longer(Duration pause) {
        var twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    private void readLater(ActorContext<Call, Void> context) {
        Actor<Call, Void> self = context.self();
        var unused = marked.whenComplete((isMarked, failure) -> self.sendMessage(new Begin()));
    }

    private void add(ActorContext<Call, Void> context, Id id, long revision, List<Letter> letters) {
        var waiting = parcels.computeIfAbsent(id, key -> new ArrayDeque<>());
        if (waiting.stream().noneMatch(parcel -> parcel.revision == revision)) {
            waiting.add(new Parcel(revision, letters));
            if (waiting.size() == 1) {
                send(context, id);
            }
        }
    }

    private void send(ActorContext<Call, Void> context, Id id) {
        var waiting = parcels.get(id);
        if (waiting == null || waiting.isEmpty()) {
            return;
        }
        var parcel = waiting.element();
        var letter = parcel.letters.get(parcel.next);
        var messageId = id.group() + "/" + id.key() + "/" + parcel.revision + "/" + parcel.next;
        Actor<Call, Void> self = context.self();
        var unused = deliver(letter, messageId).whenComplete((answer, failure) -> self
                .sendMessage(
                        new Answered(id, messageId, letter.to(), failure == null ? "" : failure.toString())));
    }

    private CompletableFuture<?> deliver(Letter letter, String messageId) {
        try {
            return store.groups().find(letter.to())
                    .<CompletableFuture<?>>map(target -> target.deliver(letter.message(), messageId))
                    .orElseGet(() -> CompletableFuture.failedFuture(
                            new IllegalStateException("the store has no keyed actors " + letter.to())));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void answered(ActorContext<Call, Void> context, Answered answered) {
        var id = answered.id();
        var waiting = parcels.get(id);
        if (waiting == null) {
            return;
        }
        var parcel = waiting.element();
        if (!answered.failure().isEmpty()) {
            var pause = parcel.pause;
            parcel.pause = longer(pause);
            if (!parcel.told) {
                parcel.told = true;
                LOG.warn(
                        "the message {} to {} has failed and is sent again, from now on without another word: {}",
                        answered.messageId(), answered.to(), answered.failure());
            }
            context.timers().once(id, pause, new Again(id));
            return;
        }
        parcel.next++;
        parcel.pause = FIRST_PAUSE;
        if (parcel.next == parcel.letters.size()) {
            marked = store.clear(new Sent(id, parcel.revision));
            waiting.remove();
        }
        if (waiting.isEmpty()) {
            parcels.remove(id);
            if (parcels.isEmpty() && more) {
                readLater(context);
            }
        } else {
            send(context, id);
        }
    }

    /** The messages of one turn. */
    private static final class Parcel {
        private final long revision;
        private final List<Letter> letters;
        private int next;
        private Duration pause = FIRST_PAUSE;
        private boolean told;

        Parcel(long revision, List<Letter> letters) {
            this.revision = revision;
            this.letters = letters;
        }
    }

    /** What the actor is told. */
    sealed interface Call {
    }

    /** The messages that an earlier process has left are to be sent. */
    record Begin() implements Call {
    }

    /** A turn with messages is durable. */
    record Committed(Id id, long revision, List<Letter> letters) implements Call {
    }

    /** A message was handled, or has failed. */
    record Answered(Id id, String messageId, String to, String failure) implements Call {
    }

    /** A message that has failed is to be sent again. */
    record Again(Id id) implements Call {
    }
}
