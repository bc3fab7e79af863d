package io.fibry.durable;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.durable.Frames.Letter;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Slices;
import io.fibry.function.ContextHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the messages of the outboxes of a group, as the handler of one actor: those of the slices of which this node is the home. Of each
 * sending key one message is under way at a time, so that they arrive in order. A message that fails is sent again after a while.
 *
 * <p>This actor is not told all messages that turns leave in the store. It finds the others when a slice begins, and later by a read from time to time: a
 * commit may have been made although its actor does not know that, and a node that is cut off may write after its slices have gone.
 */
final class Outbox implements ContextHandler<Outbox.Call> {
    /** For how long an answer may take before the message is sent again. */
    static final Duration ANSWER = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    private static final Duration PAUSE_OF_READING = Duration.ofSeconds(1);
    /** How often this actor looks for messages of which it was not told. */
    private static final Duration LOOK = Duration.ofSeconds(30);
    private static final int PAGE = 10_000;

    private final DurableStore store;
    private final String group;
    private final Map<Id, List<Parcel>> parcels = new HashMap<>();
    /** The slices of which this node is the home. */
    private Slices slices = NONE;
    private boolean isAskedToRead;
    /**
     * Whether the store may have unsent turns that were not read. A turn that is committed meanwhile is behind them and is read with
     * them, so that the messages of a key leave in their order.
     */
    private boolean more = true;
    /** The pause after the last read that has failed; the first one if none has. */
    private Duration readAgain = PAUSE_OF_READING;
    /** The turns that have been sent and are not marked in the store yet: a read finds them as unsent. */
    private final Set<Sent> unmarked = new HashSet<>();

    /** No slice: how many there are is told with the first one that begins. */
    static final Slices NONE = new Slices(1, Set.of());

    Outbox(DurableStore store, String group) {
        this.store = store;
        this.group = group;
    }

    @Override
    public void handle(ActorContext<Call, Void> context, Call call) {
        switch (call) {
            case Begun begun -> {
                slices = new Slices(begun.of(), slices.numbers()).with(begun.slice());
                // Turns that are committed meanwhile are behind those that are read.
                more = true;
                readSoon(context);
            }
            case Ended ended -> end(context, ended.slice());
            case Read read -> read(context, read.isTimed());
            case Committed committed -> {
                // mutant: new-messages-overtake-those-of-the-process-before
                if (!more && slices.contains(committed.id())) {
                    add(context, committed.id(), committed.revision(), committed.letters());
                }
            }
            case Answered answered -> answered(context, answered);
            case Marked marked -> unmarked.remove(marked.turn());
            case Again again -> send(context, again.id());
        }
    }

    /** Reads after what is in the mailbox, so that slices that begin together are read together. */
    private void readSoon(ActorContext<Call, Void> context) {
        if (!isAskedToRead) {
            isAskedToRead = true;
            context.self().sendMessage(new Read(false));
        }
    }

    private void end(ActorContext<Call, Void> context, int slice) {
        slices = slices.without(slice);
        for (var id : List.copyOf(parcels.keySet())) {
            if (slices.slice(id) == slice) {
                parcels.remove(id);
                context.timers().cancel(id);
            }
        }
    }

    private void read(ActorContext<Call, Void> context, boolean isTimed) {
        isAskedToRead = false;
        if (slices.numbers().isEmpty()) {
            return;
        }
        try {
            // The turns in memory are read again, and a page behind them: a receiver that always fails holds up no page.
            int most = PAGE + unmarked.size() + parcels.values().stream().mapToInt(List::size).sum();
            var turns = store.unsent(group, slices, most);
            more = turns.size() == most;
            readAgain = PAUSE_OF_READING;
            for (var turn : turns) {
                if (!unmarked.contains(new Sent(turn.id(), turn.revision()))) {
                    add(context, turn.id(), turn.revision(), Frames.letters(turn.outbox()));
                }
            }
            context.timers().once(group, more ? PAUSE_OF_READING : LOOK, new Read(true));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            if (isTimed) {
                // Slices that begin ask for a read each, and these may all fall into the same moment.
                readAgain = longer(readAgain);
            }
            LOG.warn("the unsent messages of {} could not be read; they are read again in {}", group,
                    readAgain, e);
            context.timers().once(group, readAgain, new Read(true));
        }
    }

    private static Duration longer(Duration pause) {
        var twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    private void add(ActorContext<Call, Void> context, Id id, long revision, List<Letter> letters) {
        var waiting = parcels.computeIfAbsent(id, key -> new ArrayList<>());
        if (waiting.stream().anyMatch(parcel -> parcel.revision == revision)) {
            return;
        }
        int place = waiting.size();
        // The first one is under way.
        while (place > 1 && waiting.get(place - 1).revision > revision) {
            place--;
        }
        waiting.add(place, new Parcel(revision, letters));
        if (waiting.size() == 1) {
            send(context, id);
        }
    }

    private void send(ActorContext<Call, Void> context, Id id) {
        var waiting = parcels.get(id);
        if (waiting == null || waiting.isEmpty()) {
            return;
        }
        var parcel = waiting.getFirst();
        var letter = parcel.letters.get(parcel.next);
        var messageId = parcel.messageId(id);
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
        // Another one is under way if the slice has ended and begun again meanwhile.
        if (waiting == null || !waiting.getFirst().messageId(id).equals(answered.messageId())) {
            return;
        }
        var parcel = waiting.getFirst();
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
            mark(context, new Sent(id, parcel.revision));
            waiting.removeFirst();
        }
        if (waiting.isEmpty()) {
            parcels.remove(id);
            if (parcels.isEmpty() && more) {
                readSoon(context);
            }
        } else {
            send(context, id);
        }
    }

    private void mark(ActorContext<Call, Void> context, Sent turn) {
        unmarked.add(turn);
        Actor<Call, Void> self = context.self();
        var unused =
                store.clear(turn).whenComplete((isMarked, failure) -> self.sendMessage(new Marked(turn)));
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

        /** Returns the id of the message that is under way, of a turn of a key. */
        String messageId(Id id) {
            return id.group() + "/" + id.key() + "/" + revision + "/" + next;
        }
    }

    /** What the actor is told. */
    sealed interface Call {
    }

    /** This node is the home of a slice, of so many. */
    record Begun(int slice, int of) implements Call {
    }

    /** This node is not the home of a slice any more. */
    record Ended(int slice) implements Call {
    }

    /** The messages in the store are to be sent, those included of which the actor was not told. */
    record Read(boolean isTimed) implements Call {
    }

    /** The store has marked a turn as sent, or has failed to do so. */
    record Marked(Sent turn) implements Call {
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
