package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.NotServedException;
import io.fibry.cluster.infinispan.InfinispanEngine.Joined;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the entries of all members equal, whenever a view is settled and Infinispan has copied its entries, and lets changes begin
 * only after that. Infinispan decides by the numbers of its distributions whose entries are kept when parts of the cluster meet, and that may be those of a
 * part that did not count; so the newest value of each entry is put back from what the members remember ({@link Copies}).
 *
 * <p>The members go through these stages together, each telling the others when it is through with one:
 * <ol>
 * <li>{@code COMPARED}: it tells a digest of each bucket of names, of what it remembers and what its cache has. Buckets that are equal everywhere are left alone.
 * <li>{@code EQUAL}: it has written again, as they are, the entries that it decides, so that all caches have the same.
 * <li>{@code PRUNED}: it has removed what it knows to be removed. All do this before the next stage, so what one of them remembers stays.
 * <li>{@code PUT}: it has written what it remembers, where that is newer. After this stage no member writes any more.
 * <li>{@code TAKEN}: it has dropped what it alone has, it remembers what its cache has, and follows what changes there.
 * <li>{@code WHOLE}: it knows that all have come to the stage before, and so that all remember the entries that count.
 * </ol>
 * When all have come to the last one, the view is <em>whole</em>, and changes begin. So a change that is acknowledged has reached all members of its view, and all of them know that the
 * view was whole. The next view has most of them, and changes begin there when what they remember is in the caches: the change is not lost. A node that was in none of these views
 * remembers nothing that is newer, but perhaps an entry that was removed. So it takes what the others have instead of what it remembers.
 *
 * <p>All of it holds for one view and one distribution of the entries. If either changes, it begins anew. Thread-safe.
 */
final class Reconciliation {
    private static final Logger LOGGER = LoggerFactory.getLogger(Reconciliation.class);
    private static final int BUCKETS = 256;
    private static final int AT_ONCE = 128;
    private static final Duration AGAIN = Duration.ofMillis(300);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final InfinispanEngine engine;
    private final ExecutorService thread;
    private final RandomGenerator random;
    private final BiConsumer<UUID, ByteBuffer> send;
    private final Copies copies = new Copies();
    private final AtomicBoolean isDue = new AtomicBoolean();
    private final AtomicBoolean isAgainDue = new AtomicBoolean();
    /** Guards what was heard from each member. */
    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private final Map<UUID, Word> heard = new HashMap<>();

    // Its own thread writes these.
    /**
     * In this round the node remembers what its cache has, since all caches agree. Written by the
     * reconciliation, before it tells others that this node has taken part.
     */
    private volatile Optional<Round> followed = Optional.empty();
    /** Written by the reconciliation, after it has made the caches equal. */
    private volatile Optional<Round> whole = Optional.empty();

    // Of its own thread alone.
    private Word own = new Word(new Round(0, 0), Stage.NONE, false, new long[0]);
    /** The buckets that differ in the round of the own word, once all have compared. */
    private Set<Integer> differing = Set.of();
    /** Whether this node forgets what it remembers in the round of the own word. */
    private boolean isLapsed;
    /** Writes that may still take place. */
    private final List<CompletableFuture<Boolean>> underway = new ArrayList<>();
    private int failures;

    /** What a member is through with, in this order. */
    enum Stage {
        NONE, COMPARED, EQUAL, PRUNED, PUT, TAKEN, WHOLE
    }

    /**
     * What the members have made equal.
     *
     * @param epoch of the settled view
     * @param topology the number that Infinispan has given to the distribution of the entries
     */
    record Round(long epoch, int topology) {}

    /** What a member says: through which stage it is, whether it wants to be told the same in return, and its digests. */
    private record Word(Round round, Stage stage, boolean isAsking, long[] digests) {
        boolean isAt(Round other, Stage least) {
            return round.equals(other) && stage.compareTo(least) >= 0;
        }

        Word at(Stage next) {
            return new Word(round, next, false, digests);
        }

        /** Words may overtake one another. The numbers of distributions do not always rise. */
        boolean isBefore(Word other) {
            return round.epoch != other.round.epoch ? round.epoch < other.round.epoch
                    : round.topology != other.round.topology || stage.compareTo(other.stage) < 0;
        }
    }

    Reconciliation(InfinispanEngine engine, ExecutorService thread, RandomGenerator random,
            BiConsumer<UUID, ByteBuffer> send) {
        this.engine = engine;
        this.thread = thread;
        this.random = random;
        this.send = send;
    }

    Copies copies() {
        return copies;
    }

    /** Returns the round in which changes may begin, if all members have taken part in it and it is not over. */
    Optional<Round> whole() {
        return whole.filter(round -> current().filter(now -> now.round.equals(round)).isPresent());
    }

    /** Returns how far this node is, and what it has heard of others, for people. */
    String state() {
        lock.lock();
        try {
            return "current " + current().map(Current::round) + ", whole " + whole + ", heard "
                    + heard.entrySet().stream().map(
                            each -> each.getKey() + "=" + each.getValue().round + " " + each.getValue().stage)
                            .toList();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether this node is in this round, and has come so far that changes may have begun elsewhere. */
    boolean isFollowing(Round round) {
        return followed.equals(Optional.of(round)) && isCurrent(round);
    }

    /** The cache of this node has changed. The change is acknowledged after this call. */
    void entryChanged(String name, Optional<StoredValue> value) {
        if (followed.filter(this::isCurrent).isPresent()) {
            copies.follow(name, value);
        } else {
            // What is removed now may be what Infinispan throws away.
            value.ifPresent(stored -> copies.meet(name, stored));
        }
    }

    /** Another member speaks. It is answered if it asks for that, since it may have missed what was said before. */
    void heard(UUID from, ByteBuffer bytes) {
        var word = word(bytes);
        Optional<Word> answer;
        lock.lock();
        try {
            var before = heard.get(from);
            if (before == null || before.isBefore(word)) {
                heard.put(from, word);
            }
            answer = Optional.ofNullable(heard.get(engine.channelId()))
                    .filter(mine -> word.isAsking && mine.round.equals(word.round));
        } finally {
            lock.unlock();
        }
        answer.ifPresent(mine -> send.accept(from, bytes(mine)));
        goOnSoon();
    }

    /** Returns whether some member has said nothing of the round in which this node waits. */
    boolean isWaitingForSilentMember() {
        return current().filter(now -> whole().isEmpty() && !isHeard(now.view, now.round, Stage.NONE))
                .isPresent();
    }

    /** An entry was removed on all members, so its mark is of no use any more. */
    void removed(String name, StoredValue mark) {
        engine.submit(thread, () -> {
            if (!engine.isClosed() && whole().isPresent()) {
                removeMark(engine.joined().join(), name, mark);
            }
        });
    }

    /** Removes the marks that were left when members came or went. */
    private void removeMarks(Joined me, Round round) {
        var marks = copies.names();
        marks.removeIf(name -> copies.get(name).filter(value -> !value.isThere()).isEmpty()
                || !me.entries().decides(name).equals(engine.channelId()));
        // mutant: marks-stay
        writeAll(round, marks, name -> copies.get(name).filter(value -> !value.isThere())
                .map(mark -> removeMark(me, name, mark)).orElseGet(Reconciliation::done));
    }

    /**
     * Removes a mark in a whole view, after all of its members have confirmed it. A node that has an older value of the entry was not a member, and forgets
     * it when it comes back.
     */
    private CompletableFuture<Boolean> removeMark(Joined me, String name, StoredValue mark) {
        return whole().map(round -> me.entries().replace(name, Optional.of(mark), mark)
                .thenCompose(isDone -> isDone ? me.rounds().isLasting(me.entries().decides(name), round)
                        : CompletableFuture.completedFuture(false))
                // mutant: mark-of-a-member-stays
                .thenCompose(isEverywhere -> isEverywhere ? me.entries().remove(name, mark) : done()))
                .orElseGet(Reconciliation::done);
    }

    private static CompletableFuture<Boolean> done() {
        return CompletableFuture.completedFuture(true);
    }

    void close() {
        thread.shutdownNow();
    }

    /** Goes on on its own thread, if there is something to do. */
    void goOnSoon() {
        if (isDue.compareAndSet(false, true)) {
            engine.submit(thread, () -> {
                isDue.set(false);
                if (engine.joined().isDone() && !engine.isClosed()) {
                    try {
                        goOn(engine.joined().join());
                    } catch (NotServedException cut) {
                        LOGGER.debug("{} was cut off while it compared the tables", engine.where(), cut);
                    }
                }
            });
        }
    }

    /** A settled view whose members have all entries. */
    private record Current(Round round, Quorum.SettledView view) {}

    private Optional<Current> current() {
        if (!engine.joined().isDone() || engine.isClosed()) {
            return Optional.empty();
        }
        var entries = engine.joined().join().entries();
        return engine.wires().join().quorum().settledView().flatMap(view -> {
            var topology = entries.topology().getTopologyId();
            return entries.isSettled(view.members()) && entries.topology().getTopologyId() == topology
                    ? Optional.of(new Current(new Round(view.epoch(), topology), view))
                    : Optional.empty();
        });
    }

    private boolean isCurrent(Round round) {
        return current().filter(now -> now.round.equals(round)).isPresent();
    }

    private void goOn(Joined me) {
        var now = current();
        if (now.isEmpty() || whole.equals(now.map(Current::round))) {
            return;
        }
        var round = now.orElseThrow().round;
        var view = now.orElseThrow().view;
        if (isAgainDue.compareAndSet(false, true)) {
            CompletableFuture.delayedExecutor(AGAIN.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(this::sayAgainSoon);
        }
        if (!own.isAt(round, Stage.COMPARED)) {
            compare(me, round, view);
        }
        if (own.stage == Stage.COMPARED && isHeard(view, round, Stage.COMPARED)) {
            differing = differing(view, round);
            if (differing.isEmpty()) {
                follow(me, round, view);
            } else {
                LOGGER.debug("{}: {} of {} buckets differ in {}", engine.where(), differing.size(), BUCKETS,
                        round);
                if (writeAgain(me, round)) {
                    say(own.at(Stage.EQUAL), view);
                }
            }
        }
        if (own.stage == Stage.EQUAL && isHeard(view, round, Stage.EQUAL) && prune(me, round)) {
            say(own.at(Stage.PRUNED), view);
        }
        if (own.stage == Stage.PRUNED && isHeard(view, round, Stage.PRUNED) && putBack(me, round)) {
            say(own.at(Stage.PUT), view);
        }
        if (own.stage == Stage.PUT && isHeard(view, round, Stage.PUT) && dropAlone(me, round)) {
            follow(me, round, view);
        }
        if (own.stage == Stage.TAKEN && isHeard(view, round, Stage.TAKEN) && quorum().whole(view)) {
            say(own.at(Stage.WHOLE), view);
        }
        if (own.stage == Stage.WHOLE && isHeard(view, round, Stage.WHOLE)) {
            whole = Optional.of(round);
            removeMarks(me, round);
            engine.look();
        }
    }

    /**
     * From now on this node remembers what its cache has. It says that only if it is so: as soon as all have said it, any of them may take the view for whole, and then
     * what this node remembers counts.
     */
    private void follow(Joined me, Round round, Quorum.SettledView view) {
        followed = Optional.of(round);
        for (var name : names(me, differing::contains)) {
            copies.adopt(name, before -> {
                var cached = me.entries().cached(name);
                // mutant: cache-is-not-followed
                // Infinispan may have begun to change it for another view.
                return isCurrent(round) ? cached : before;
            });
        }
        if (isCurrent(round)) {
            copies.completed(round.epoch);
            say(own.at(Stage.TAKEN), view);
        }
    }

    /**
     * Drops from the cache of this node what the node that decides does not have. That one has all that some member remembers, and no member writes any more, so
     * what it has stays what it is. If that node has another value, this one reads nothing until {@link Upkeep} lets that node write it again.
     */
    private boolean dropAlone(Joined me, Round round) {
        // mutant: nothing-is-dropped
        return writeAll(round, unknown(me), name -> me.entries().cached(name)
                .map(old -> me.entries().replace(name, Optional.of(old), old)
                        .thenCompose(isThere -> isThere ? done() : me.entries().dropHere(name, old)))
                .orElseGet(Reconciliation::done));
    }

    /** Returns the names of what the cache may have, and this node does not remember. A node that forgets remembers nothing. */
    private Set<String> unknown(Joined me) {
        var names = names(me, differing::contains);
        if (!isLapsed) {
            names.removeIf(name -> copies.get(name).isPresent());
        }
        return names;
    }

    private Quorum quorum() {
        return engine.wires().join().quorum();
    }

    private void sayAgainSoon() {
        isAgainDue.set(false);
        engine.submit(thread, () -> {
            if (engine.isClosed()) {
                return;
            }
            var now = current();
            if (now.isPresent() && !whole.equals(now.map(Current::round))) {
                if (own.round.equals(now.orElseThrow().round) && own.stage != Stage.NONE) {
                    tell(new Word(own.round, own.stage, true, own.digests), now.orElseThrow().view);
                }
                goOnSoon();
            }
        });
    }

    private void compare(Joined me, Round round, Quorum.SettledView view) {
        differing = Set.of();
        // mutant: node-that-was-away-forgets-nothing
        isLapsed = quorum().isLapsed();
        for (var name : me.entries().names()) {
            me.entries().cached(name).ifPresent(value -> copies.meet(name, value));
        }
        var digests = new long[BUCKETS];
        var isOdd = new boolean[BUCKETS];
        for (var name : names(me, bucket -> true)) {
            var value = copies.get(name);
            // mutant: what-the-cache-has-is-not-compared
            isOdd[bucket(name)] |= !value.equals(me.entries().cached(name));
            digests[bucket(name)] += value.map(each -> digest(name, each)).orElse(0L);
        }
        for (var i = 0; i < BUCKETS; i++) {
            if (isOdd[i]) {
                digests[i] = random.nextLong();
            }
        }
        say(new Word(round, Stage.COMPARED, false, digests), view);
    }

    /** Sums of these are compared, so each bit of an entry has to count for all bits. */
    private static long digest(String name, StoredValue value) {
        var digest = mixed(name.hashCode() * 31L + name.length());
        for (var each : value.stored()) {
            digest = mixed(digest + each);
        }
        return digest;
    }

    private static long mixed(long bits) {
        var next = (bits ^ (bits >>> 32)) * 0x9E3779B97F4A7C15L;
        return next ^ (next >>> 29);
    }

    private static int bucket(String name) {
        return name.hashCode() & (BUCKETS - 1);
    }

    private Set<String> names(Joined me, Predicate<Integer> buckets) {
        var names = me.entries().names();
        names.addAll(copies.names());
        names.removeIf(name -> !buckets.test(bucket(name)));
        return names;
    }

    private boolean isHeard(Quorum.SettledView view, Round round, Stage least) {
        lock.lock();
        try {
            return view.members().stream().map(heard::get)
                    .allMatch(word -> word != null && word.isAt(round, least));
        } finally {
            lock.unlock();
        }
    }

    /** All members are in this round when this is called. If one has begun another since, this one ends too. */
    private Set<Integer> differing(Quorum.SettledView view, Round round) {
        lock.lock();
        try {
            var found = new HashSet<Integer>();
            for (var member : view.members()) {
                var word = Objects.requireNonNull(heard.get(member), "heard");
                for (var i = 0; i < BUCKETS; i++) {
                    if (!word.round.equals(round) || word.digests[i] != own.digests[i]) {
                        found.add(i);
                    }
                }
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    private boolean writeAgain(Joined me, Round round) {
        // mutant: nothing-is-written-again
        return writeAll(round, names(me, differing::contains),
                name -> me.entries().decides(name).equals(engine.channelId()) ? me.entries().writeAgain(name)
                        : done());
    }

    /** Removes from all caches what this node does not remember: it was removed. A node that forgets does not know that. */
    private boolean prune(Joined me, Round round) {
        // mutant: nothing-is-pruned
        return writeAll(round, isLapsed ? Set.of() : unknown(me), name -> me.entries().cached(name)
                .map(old -> me.entries().remove(name, old).thenCompose(isDone -> done()))
                .orElseGet(Reconciliation::done));
    }

    private boolean putBack(Joined me, Round round) {
        // mutant: nothing-is-put-back
        // mutant: node-that-forgets-puts-back
        return writeAll(round, isLapsed ? Set.of() : names(me, differing::contains),
                name -> copies.get(name).map(value -> putBack(me, name, me.entries().cached(name), value))
                        .orElseGet(Reconciliation::done));
    }

    /**
     * Writes what this node remembers. Its own cache is what the node has that decides, unless that one has no entry at all: then there was nothing to
     * write again in the stage before.
     */
    private static CompletableFuture<Boolean> putBack(Joined me, String name, Optional<StoredValue> cached,
            StoredValue value) {
        var next = cached.filter(there -> there.isNewerThan(value)).orElse(value);
        return me.entries().replace(name, cached, next).thenCompose(isDone -> isDone || cached.isEmpty()
                ? CompletableFuture.completedFuture(isDone)
                : me.entries().replace(name, Optional.empty(), next));
    }

    /**
     * Writes entries, some at a time, as long as the round lasts.
     *
     * @return whether all were written, and no write of an earlier call may still take place
     */
    private boolean writeAll(Round round, Set<String> names,
            Function<String, CompletableFuture<Boolean>> write) {
        var rest = new ArrayList<>(names);
        var isDone = awaitUnderway(round);
        while (isDone && isCurrent(round) && !rest.isEmpty()) {
            var some = rest.subList(0, Math.min(AT_ONCE, rest.size()));
            some.forEach(name -> underway.add(write.apply(name)));
            some.clear();
            isDone = awaitUnderway(round);
        }
        if (!isDone && ++failures % 20 == 0) {
            LOGGER.warn("{} has tried {} times to make the tables of all members equal. {}", engine.where(),
                    failures,
                    engine.state());
        }
        return isDone && isCurrent(round);
    }

    /** Returns whether all writes that were underway are done, and none of them has failed. */
    private boolean awaitUnderway(Round round) {
        var all = CompletableFuture.allOf(underway.toArray(CompletableFuture[]::new));
        all.whenComplete((done, failed) -> engine.wake());
        if (!engine.await(PATIENCE, () -> all.isDone() || !isCurrent(round)) || !all.isDone()) {
            return false;
        }
        var isDone = underway.stream().allMatch(each -> !each.isCompletedExceptionally() && each.join());
        underway.clear();
        return isDone;
    }

    private void say(Word word, Quorum.SettledView view) {
        own = word;
        lock.lock();
        try {
            heard.keySet().retainAll(view.members());
            heard.put(engine.channelId(), word);
        } finally {
            lock.unlock();
        }
        tell(word, view);
    }

    private void tell(Word word, Quorum.SettledView view) {
        view.members().stream().filter(each -> !each.equals(engine.channelId()))
                .forEach(each -> send.accept(each, bytes(word)));
    }

    private static ByteBuffer bytes(Word word) {
        var out = ByteBuffer.allocate(8 + 4 + 1 + 1 + word.digests.length * 8).putLong(word.round.epoch)
                .putInt(word.round.topology).put((byte) word.stage.ordinal())
                .put((byte) (word.isAsking ? 1 : 0));
        Arrays.stream(word.digests).forEach(out::putLong);
        return out.flip();
    }

    private static Word word(ByteBuffer in) {
        var round = new Round(in.getLong(), in.getInt());
        var stage = Stage.values()[in.get()];
        var isAsking = in.get() != 0;
        var digests = new long[BUCKETS];
        for (var i = 0; i < BUCKETS; i++) {
            digests[i] = in.getLong();
        }
        return new Word(round, stage, isAsking, digests);
    }
}
