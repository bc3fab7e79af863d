package io.fibry.durable;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.FailurePolicy.Backoff;
import io.fibry.durable.Durable.Parking;
import io.fibry.durable.Frames.Letter;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Tries;
import io.fibry.durable.Journal.Turn;
import io.fibry.function.ContextHandler;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the messages of the outboxes of a group, as the handler of one actor: those of the slices of which this node is the home. Of each
 * sending key one message is under way at a time, so that they arrive in order. A message that fails is sent again after a while.
 *
 * <p>A key that has messages to send has a {@link Line}, which has few turns in memory: the others are in the store,
 * and are read when it is their time. So what waits behind a message takes no memory, and each turn is read about once.
 *
 * <p>This actor is not told of all messages that turns leave in the store. It finds the others by a <i>pass</i> over
 * the store, page by page, when a slice begins, and later from time to time: a commit may have been made although its
 * actor does not know that, and a node that is cut off may write after its slices have gone. A pass goes from key to
 * key, so many messages of one key, and keys whose messages fail, hold up no other.
 */
final class Outbox implements ContextHandler<Outbox.Call> {
    /** For how long an answer may take before the message is sent again. */
    static final Duration ANSWER = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);
    private static final Backoff RETRIES = new Backoff(Duration.ofMillis(100), Duration.ofMinutes(1), 0.5);
    private static final Backoff RETRIES_OF_READING =
            new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1), 0);
    /** How often this actor looks for messages of which it was not told. */
    private static final Duration LOOK = Duration.ofSeconds(30);
    /** How many turns are read at a time by a pass. */
    private static final int PAGE = 1_000;
    /** How many turns of one key are in memory. */
    private static final int MOST_TURNS = 100;
    /** A pass waits while so many keys have messages under way that have not failed. */
    private static final int MOST_KEYS = 100_000;
    /** For how many keys the last revision that was sent is remembered. */
    private static final int MOST_FINISHED = 10_000;

    private final DurableStore store;
    private final String group;
    private final Parking parking;
    private final DurableLoad load;
    private final Map<Id, Line> lines = new HashMap<>();
    /** The keys that stand still, since a message of theirs is parked, or is sent again and was not handled yet. */
    private Set<Id> standing = new HashSet<>();
    /** When the oldest turn of the pass was handled. */
    private Optional<Instant> oldest = Optional.empty();
    /** The number of lines whose first message has failed. */
    private int failing;
    /**
     * The last revisions of keys that have no line any more, the newest ones. The store may show a turn to this actor
     * before it is told of the turn, and then the turn is not sent again.
     */
    private final Map<Id, Long> finished = new LinkedHashMap<>();
    /**
     * The turns that have been sent and are not marked in the store yet: a read finds them as unsent. The store's
     * thread takes them out.
     */
    private final Set<Sent> unmarked = ConcurrentHashMap.newKeySet();
    /** The slices of which this node is the home. */
    private Slices slices = NONE;

    private boolean isAskedToRead;
    private boolean isAskedForParked;
    private boolean isPassing;
    /** The number of the pass. */
    private long passes;
    /** Where the pass has come to. */
    private Position place = Position.FIRST;
    /**
     * Whether a key without a line may have turns that were not read. The messages of a key leave in their order, so
     * all turns before one that is committed meanwhile are read first.
     */
    private boolean isUnread = true;
    private int failedReads;

    /** No slice yet: the first one that begins tells how many there are. */
    static final Slices NONE = new Slices(1, Set.of());

    Outbox(DurableStore store, String group, Parking parking, DurableLoad load) {
        this.store = store;
        this.group = group;
        this.parking = parking;
        this.load = load;
    }

    @Override
    public void handle(ActorContext<Call, Void> context, Call call) {
        switch (call) {
            case Begun begun -> {
                slices = new Slices(begun.of(), slices.numbers()).with(begun.slice());
                isUnread = true;
                place = Position.FIRST; // a pass that has begun did not look at this slice
                readSoon(context);
            }
            case Ended ended -> end(context, ended.slice());
            case Read read -> read(context, read.isTimed());
            case Committed committed when slices.contains(committed.id()) -> committed(context, committed);
            case Committed ofOthers -> {
                // The home of the key finds it in the store.
            }
            case Answered answered -> answered(context, answered);
            case Parked parked -> parked(context, parked);
            case Freed freed -> readParkedSoon(context);
            case ReadParked soon -> {
                isAskedForParked = false;
                readParked(context);
            }
            case Erased erased -> {
                Optional.ofNullable(lines.get(erased.id())).ifPresent(line -> readAgain(context, line));
                readParkedSoon(context);
            }
            case Again again -> send(context, again.id());
        }
        load.sending = lines.size();
        load.failing = failing;
    }

    // ---- What is in the store. ----

    /** Reads after what is in the mailbox, so that slices that begin together are read together. */
    private void readSoon(ActorContext<Call, Void> context) {
        if (!isAskedToRead) {
            isAskedToRead = true;
            context.self().sendMessage(new Read(false));
        }
    }

    private void readParkedSoon(ActorContext<Call, Void> context) {
        if (!isAskedForParked) {
            isAskedForParked = true;
            context.self().sendMessage(new ReadParked());
        }
    }

    private void end(ActorContext<Call, Void> context, int slice) {
        slices = slices.without(slice);
        for (var id : List.copyOf(lines.keySet())) {
            if (slices.slice(id) == slice) {
                remove(id);
                finished.remove(id);
                context.timers().cancel(id);
            }
        }
    }

    /** Reads the next page of the pass; begins one if there is none. */
    private void read(ActorContext<Call, Void> context, boolean isTimed) {
        isAskedToRead = false;
        if (slices.numbers().isEmpty()) {
            isPassing = false;
            place = Position.FIRST;
            return;
        }
        isPassing = true;
        Page page;
        try {
            if (hasNotBegun()) {
                passes++;
                oldest = Optional.empty();
                readParked(context);
            }
            page = unsent(place, PAGE);
            failedReads = 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        } catch (RuntimeException e) {
            // Slices that begin ask for a read each, and these may all fall into the same moment.
            failedReads += isTimed || failedReads == 0 ? 1 : 0;
            var pause = Retries.pause(RETRIES_OF_READING, failedReads, group);
            LOG.warn("the unsent messages of {} could not be read; they are read again in {}", group, pause,
                    e);
            context.timers().once(group, pause, new Read(true));
            return;
        }
        for (var turn : page.turns()) {
            Optional.ofNullable(lines.get(turn.id())).ifPresent(line -> line.see(turn, passes));
            if (page.isUnsent(turn)) {
                oldest = oldest.filter(turn.at()::isAfter).or(() -> Optional.of(turn.at()));
                found(context, turn);
            }
        }
        if (!page.isFull()) {
            load.oldest = oldest;
            place = Position.FIRST;
            isPassing = false;
            isUnread = false;
            lines.values().stream().filter(line -> line.isGone(passes)).toList()
                    .forEach(line -> readAgain(context, line));
            context.timers().once(group, LOOK, new Read(true));
        } else {
            var last = page.turns().getLast();
            var line = lines.get(last.id());
            // The other turns of this key are read when it is their time.
            place = line != null && line.hasMore
                    ? Position.after(last.id().key())
                    : new Position(last.id().key(), last.revision());
            goOn(context);
        }
    }

    /** Tells whether the next pass, or this one, begins with the first key. */
    private boolean hasNotBegun() {
        return place.equals(Position.FIRST);
    }

    /** Goes on with a pass, unless too much is under way, or the store has failed and a timer will ask for a read. */
    private void goOn(ActorContext<Call, Void> context) {
        if (isPassing && failedReads == 0 && lines.size() - failing - standing.size() < MOST_KEYS) {
            readSoon(context);
        }
    }

    private Page unsent(Position after, int most) throws InterruptedException {
        // Before the read: what is not marked any more is not read, and what is marked during the read is in this copy.
        var sent = Set.copyOf(unmarked);
        var mine = slices;
        var all = store.read(journal -> journal.unsent(group, mine, after, most));
        return new Page(all, sent, Turn.isFull(all, most));
    }

    private void found(ActorContext<Call, Void> context, Turn turn) {
        var line = lines.get(turn.id());
        if (line == null) {
            begin(context, new Line(turn.id(), false), turn);
        } else if (turn.revision() > line.read) {
            line.add(turn.revision(), () -> Frames.letters(turn.outbox()));
        } else {
            // It was written by another process meanwhile, if it is not known.
            line.insert(turn);
        }
    }

    private void begin(ActorContext<Call, Void> context, Line line, Turn first) {
        lines.put(line.id, line);
        line.add(first.revision(), () -> Frames.letters(first.outbox()));
        send(context, line.id);
    }

    private void committed(ActorContext<Call, Void> context, Committed committed) {
        var id = committed.id();
        long revision = committed.revision();
        var line = lines.get(id);
        if (line == null) {
            if (revision <= finished.getOrDefault(id, 0L)) {
                return;
            }
            // mutant: new-messages-overtake-those-of-the-process-before
            boolean mayHaveOlder = isUnread;
            if (mayHaveOlder && hasNotBegun()) {
                return; // a pass begins after this commit, and finds the turn in its order
            }
            line = new Line(id, mayHaveOlder);
            lines.put(id, line);
            line.add(revision, committed::letters);
            send(context, id);
        } else if (revision > line.read) {
            line.add(revision, committed::letters);
        }
    }

    /** Reads the next turns of a line, when it has none in memory. */
    private void refill(Line line) throws InterruptedException {
        var page = unsent(new Position(line.id.key(), line.read), MOST_TURNS);
        line.failedIn = passes; // this pass may have been at the key before
        line.hasMore = false;
        for (var turn : page.turns()) {
            if (!turn.id().equals(line.id)) {
                return;
            }
            if (page.isUnsent(turn)) {
                line.add(turn.revision(), () -> Frames.letters(turn.outbox()));
            } else {
                line.read = turn.revision();
            }
        }
        line.hasMore |= page.isFull();
    }

    // ---- What is under way. ----

    private void send(ActorContext<Call, Void> context, Id id) {
        var line = lines.get(id);
        if (line == null) {
            return;
        }
        if (standing.contains(id)) {
            line.keepNone();
            return;
        }
        while (!line.hasNext()) {
            if (!line.parcels.isEmpty()) {
                mark(new Sent(id, line.parcels.removeFirst().revision));
            } else if (line.hasMore) {
                try {
                    refill(line);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                } catch (RuntimeException e) {
                    fail(context, line, "the next messages could not be read: ", Retries.reason(e));
                    return;
                }
            } else {
                remove(id);
                return;
            }
        }
        var parcel = line.parcels.getFirst();
        var letter = parcel.letters.get(parcel.next);
        var messageId = parcel.messageId(id);
        Actor<Call, Void> self = context.self();
        var unused = store.groups().deliver(letter, messageId).whenComplete((answer, failure) -> self
                .sendMessage(new Answered(id, messageId, letter.to(), Optional.ofNullable(failure))));
    }

    private void answered(ActorContext<Call, Void> context, Answered answered) {
        var id = answered.id();
        var line = lines.get(id);
        if (line == null || !line.isUnderWay(answered.messageId())) {
            return;
        }
        if (answered.failure().isPresent()) {
            var cause = Retries.cause(answered.failure().get());
            if (parking.applies(line.failed + 1, cause)) {
                park(context, line, answered, Retries.reason(cause));
            } else {
                fail(context, line,
                        "the message " + answered.messageId() + " to " + answered.to() + " has failed: ",
                        Retries.reason(cause));
            }
            return;
        }
        if (line.failed > 0) {
            LOG.info("the message {} to {} was handled, after {} tries that have failed",
                    answered.messageId(), answered.to(), line.failed);
        }
        next(context, line);
    }

    private void next(ActorContext<Call, Void> context, Line line) {
        endFailure(line);
        line.parcels.getFirst().next++;
        send(context, line.id);
        goOn(context);
    }

    private void endFailure(Line line) {
        failing -= line.failed > 0 ? 1 : 0;
        line.failed = 0;
        line.reason = "";
    }

    /** Reads the turns of a line again: the store may not have them any more, since their key was erased. */
    private void readAgain(ActorContext<Call, Void> context, Line line) {
        context.timers().cancel(line.id);
        endFailure(line);
        line.keepNone();
        send(context, line.id);
    }

    /** Takes the message that has failed out of the turn, so that the store has it once, whatever becomes of this process. */
    private void park(ActorContext<Call, Void> context, Line line, Answered answered, String reason) {
        var parcel = line.parcels.getFirst();
        var sent = new Sent(line.id, parcel.revision);
        var letter = Reminder.letter(sent, parcel.next,
                context.scope().time().clock().instant().truncatedTo(ChronoUnit.MILLIS),
                Frames.outbox(List.of(parcel.letters.get(parcel.next))),
                new Tries(line.failed + 1, Tries.NEVER, reason));
        var left = parcel.behindNext();
        line.isBeingParked = true;
        Actor<Call, Void> self = context.self();
        var unused = store.submit(journal -> journal.park(sent, left, letter))
                .whenComplete((isDone, failure) -> self.sendMessage(
                        new Parked(answered, letter, Boolean.TRUE.equals(isDone),
                                failure == null ? "" : Retries.reason(failure))));
    }

    private void parked(ActorContext<Call, Void> context, Parked parked) {
        var answered = parked.answered();
        var tries = parked.letter().tries();
        var line = lines.get(answered.id());
        if (parked.isDone()) {
            LOG.warn("the message {} to {} has failed; " + Retries.PARKED + "{}", answered.messageId(),
                    answered.to(), tries.failed(),
                    tries.reason(), parking.standStill() ? "; later messages of its key wait" : "");
            load.addParked(parked.letter());
            if (parking.standStill()) {
                standing.add(answered.id());
            }
        }
        if (line != null) {
            line.isBeingParked = false;
        }
        if (line != null && line.isUnderWay(answered.messageId())) {
            if (parked.isDone()) {
                next(context, line);
            } else if (parked.failure().isEmpty()) {
                readAgain(context, line);
            } else {
                fail(context, line, "the message " + answered.messageId() + " could not be parked: ",
                        parked.failure());
            }
        }
    }

    /** Reads what is parked. Keys that do not stand still any longer go on. */
    private void readParked(ActorContext<Call, Void> context) {
        var all = new HashSet<Id>();
        try {
            load.readParked(store, group);
            if (parking.standStill()) {
                all.addAll(keysOfParked());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        var before = standing;
        standing = all;
        before.stream().filter(id -> !all.contains(id)).forEach(id -> send(context, id));
    }

    private List<Id> keysOfParked() throws InterruptedException {
        var all = new ArrayList<Id>();
        for (List<Id> page = keysOfParked(""); !page.isEmpty(); page = keysOfParked(page.getLast().key())) {
            all.addAll(page);
        }
        return all;
    }

    private List<Id> keysOfParked(String after) throws InterruptedException {
        return store.read(journal -> journal.keysOfParked(group, after, PAGE)).stream()
                .map(key -> new Id(group, key)).toList();
    }

    /** Lets a line wait for its next try. The turns behind its first one are left to the store. */
    private void fail(ActorContext<Call, Void> context, Line line, String what, String reason) {
        if (Retries.isNew(reason, line.reason)) {
            LOG.warn(
                    "{}{}; it is sent again, from now on without another word while the reason stays the same,"
                            + " and later messages of {} {} wait",
                    what, reason, line.id.group(), line.id.key());
        }
        if (line.failed == 0) {
            failing++;
            line.failedIn = passes;
        }
        line.failed++;
        line.reason = reason;
        line.keepFirst();
        context.timers().once(line.id, Retries.pause(RETRIES, line.failed, line.id), new Again(line.id));
    }

    private void remove(Id id) {
        var line = lines.remove(id);
        if (line == null) {
            return;
        }
        failing -= line.failed > 0 ? 1 : 0;
        finished.remove(id);
        finished.put(id, line.read);
        if (finished.size() > MOST_FINISHED) {
            finished.remove(finished.keySet().iterator().next());
        }
    }

    private void mark(Sent turn) {
        unmarked.add(turn);
        var unused = store.clear(turn).whenComplete((isMarked, failure) -> unmarked.remove(turn));
    }

    /**
     * What was read of the store.
     *
     * @param sent the turns whose marks were on their way
     * @param isFull whether there may be more
     */
    private record Page(List<Turn> turns, Set<Sent> sent, boolean isFull) {
        boolean isUnsent(Turn turn) {
            return !sent.contains(new Sent(turn.id(), turn.revision()));
        }
    }

    /** The turns of one key whose messages are to be sent, in the order of their revisions. */
    private static final class Line {
        private final Id id;
        /** The turns in memory. The first message of the first one is under way, or has failed. */
        private final List<Parcel> parcels = new ArrayList<>();
        /** The turns up to this revision are in memory, or have been sent. */
        private long read;
        /** Whether the store may have turns behind {@link #read}. */
        private boolean hasMore;
        /** How many tries to send the first message have failed. */
        private int failed;
        private String reason = "";
        /** The pass in which the first message failed for the first time. */
        private long failedIn;
        /** The last pass that has read the first turn. */
        private long seen;
        /** Whether the store takes the first message out of its turn. */
        private boolean isBeingParked;

        Line(Id id, boolean hasMore) {
            this.id = id;
            this.hasMore = hasMore;
        }

        /** Tells whether a message is still the first one. It may not be if the slice has ended and begun again meanwhile. */
        boolean isUnderWay(String messageId) {
            return !parcels.isEmpty() && parcels.getFirst().messageId(id).equals(messageId);
        }

        /** Tells whether the first turn has a message that is to be sent, and passes over those that are parked. */
        boolean hasNext() {
            return !parcels.isEmpty() && parcels.getFirst().hasNext();
        }

        /** Adds a turn behind the others, or leaves it to the store. */
        void add(long revision, Supplier<List<Letter>> letters) {
            if (hasMore || parcels.size() == MOST_TURNS) {
                hasMore = true;
                return;
            }
            parcels.add(new Parcel(revision, letters.get()));
            read = revision;
        }

        /** Adds a turn that is older than some of the others, unless it is there. The first one stays: it is under way. */
        void insert(Turn turn) {
            int place = parcels.size();
            while (place > 0 && parcels.get(place - 1).revision >= turn.revision()) {
                place--;
                if (parcels.get(place).revision == turn.revision()) {
                    return;
                }
            }
            parcels.add(Math.max(place, Math.min(1, parcels.size())),
                    new Parcel(turn.revision(), Frames.letters(turn.outbox())));
        }

        void see(Turn turn, long pass) {
            if (!parcels.isEmpty() && parcels.getFirst().revision == turn.revision()) {
                seen = pass;
            }
        }

        /** Tells whether a pass has not found the first turn, although its message has failed since before the pass. */
        boolean isGone(long pass) {
            return failed > 0 && failedIn < pass && seen < pass && !isBeingParked && !parcels.isEmpty();
        }

        /** Leaves all turns to the store: until they are sent, they may be erased. */
        void keepNone() {
            if (!parcels.isEmpty()) {
                read = parcels.getFirst().revision - 1;
                parcels.clear();
                hasMore = true;
            }
        }

        void keepFirst() {
            if (parcels.size() > 1) {
                parcels.subList(1, parcels.size()).clear();
                read = parcels.getFirst().revision;
                hasMore = true;
            }
        }
    }

    /** The messages of one turn. */
    private static final class Parcel {
        private final long revision;
        private final List<Letter> letters;
        private int next;

        Parcel(long revision, List<Letter> letters) {
            this.revision = revision;
            this.letters = letters;
        }

        /** Passes over letters without a receiver: each is in the place of a parked one, so that the others keep their ids. */
        boolean hasNext() {
            while (next < letters.size() && letters.get(next).to().isEmpty()) {
                next++;
            }
            return next < letters.size();
        }

        /** Returns the outbox of the turn without the messages up to the next one; empty if there are no others. */
        byte[] behindNext() {
            var left = new ArrayList<>(letters);
            Collections.fill(left.subList(0, next + 1), new Letter("", Frames.NONE));
            return left.stream().allMatch(letter -> letter.to().isEmpty()) ? Frames.NONE
                    : Frames.outbox(left);
        }

        /** Returns the id of the message that is under way. */
        String messageId(Id id) {
            return DurableMessage.id(new Sent(id, revision), next);
        }
    }

    sealed interface Call extends StoreCall {
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

    /** A turn with messages is durable. */
    record Committed(Id id, long revision, List<Letter> letters) implements Call {
    }

    record Answered(Id id, String messageId, String to, Optional<Throwable> failure) implements Call {
    }

    /** A message that has failed is parked, or is not in the store any more, or could not be parked. */
    record Parked(Answered answered, Reminder letter, boolean isDone, String failure) implements Call {
    }

    /** What a key had parked was handled, or dropped. */
    record Freed() implements Call {
    }

    /** What is parked is to be read, since some of it may be gone. */
    record ReadParked() implements Call {
    }

    /** What a key has sent is not in the store any more. */
    record Erased(Id id) implements Call {
    }

    /** A message that has failed is to be sent again. */
    record Again(Id id) implements Call {
    }
}
