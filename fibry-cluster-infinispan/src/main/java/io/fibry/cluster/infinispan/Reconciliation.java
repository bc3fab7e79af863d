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
 * part that did not count; so the newest value of each entry is written back from what the members remember ({@link Copies}).
 *
 * <p>The members go through these stages together, each telling the others when it is through with one:
 * <ol>
 * <li>{@code COMPARED}: it tells a digest of each bucket of names, of what it remembers and what its cache has. Buckets that are equal everywhere are left alone.
 * <li>{@code EQUAL}: it has written again, as they are, the entries that it decides, so that all caches have the same.
 * <li>{@code TAKEN}: it has written what it remembers, where that is newer.
 * </ol>
 * When all have come to the last one, the view is <em>whole</em>. A change that was acknowledged in a whole view had reached all of its
 * members. The next view has most of them, and changes begin there when what they remember is in the caches: so it is not lost. What a node remembers that was
 * not among them is older than that; it forgets it.
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
    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private final Map<UUID, Word> heard = new HashMap<>();

    /** Written by its own thread. From the moment on that this node has taken part, caches agree. */
    private volatile Optional<Round> followed = Optional.empty();
    private volatile Optional<Round> whole = Optional.empty();

    // Of its own thread alone.
    private Word own = new Word(new Round(0, 0), Stage.NONE, new long[0]);
    private int lapses;

    private enum Stage {
        NONE, COMPARED, EQUAL, TAKEN
    }

    /**
     * What the members have made equal.
     *
     * @param epoch of the settled view
     * @param topology the number that Infinispan has given to the distribution of the entries
     */
    record Round(long epoch, int topology) {}

    /** What a member says: through which stage it is, and its digests. */
    private record Word(Round round, Stage stage, long[] digests) {
        boolean isAt(Round other, Stage least) {
            return round.equals(other) && stage.compareTo(least) >= 0;
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

    /** How far this node is, and what it has heard of others. For people. */
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

    /** The cache of this node has changed. Called before the change is acknowledged. */
    void entryChanged(String name, Optional<StoredValue> value) {
        if (followed.filter(round -> current().filter(now -> now.round.equals(round)).isPresent())
                .isPresent()) {
            copies.follow(name, value);
        } else {
            // What is removed now may be what Infinispan throws away.
            value.ifPresent(stored -> copies.meet(name, stored));
        }
    }

    /** Another member speaks. This one answers if that has been said before, since its own word may have been missed. */
    void heard(UUID from, ByteBuffer bytes) {
        var word = word(bytes);
        lock.lock();
        try {
            var before = heard.get(from);
            if (before == null || before.isBefore(word)) {
                heard.put(from, word);
            } else if (before.isAt(word.round, word.stage)) {
                var mine = heard.get(engine.channelId());
                if (mine != null && mine.round.equals(word.round)) {
                    send.accept(from, bytes(mine));
                }
            }
        } finally {
            lock.unlock();
        }
        goOnSoon();
    }

    /** An entry was removed on all members, so its mark is of no use any more. */
    void removed(String name, StoredValue mark) {
        engine.submit(thread, () -> {
            if (!engine.isClosed() && whole().isPresent()) {
                removeMark(engine.joined().join(), name, mark);
            }
        });
    }

    /** Marks that were left when members came or went. */
    private void removeMarks(Joined me) {
        for (var name : copies.names()) {
            if (me.entries().decides(name).equals(engine.channelId())) {
                copies.get(name).filter(value -> !value.isThere())
                        .ifPresent(mark -> removeMark(me, name, mark));
            }
        }
    }

    /**
     * Removes a mark in a view that is whole after all of its members have confirmed it. Whoever has an older value of the entry was not a member, and forgets
     * it when it comes back.
     */
    private void removeMark(Joined me, String name, StoredValue mark) {
        whole().ifPresent(round -> me.entries().replace(name, Optional.of(mark), mark)
                .thenCompose(isDone -> isDone ? me.rounds().isLasting(me.entries().decides(name), round)
                        : CompletableFuture.completedFuture(false))
                .thenAccept(isEverywhere -> {
                    if (isEverywhere) {
                        me.entries().remove(name, mark);
                    }
                }));
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
            var differing = differing(view);
            if (differing.isEmpty()) {
                say(new Word(round, Stage.TAKEN, own.digests));
            } else {
                LOGGER.debug("{}: {} of {} buckets differ in {}", engine.where(), differing.size(), BUCKETS,
                        round);
                if (writeAgain(me, round, differing)) {
                    say(new Word(round, Stage.EQUAL, own.digests));
                }
            }
        }
        if (own.stage == Stage.EQUAL && isHeard(view, round, Stage.EQUAL)
                && putBack(me, round, differing(view), isForgetting(view))) {
            say(new Word(round, Stage.TAKEN, own.digests));
        }
        if (own.stage == Stage.TAKEN && isHeard(view, round, Stage.TAKEN)) {
            for (var name : names(me, differing(view)::contains)) {
                copies.adopt(name, () -> me.entries().cached(name));
            }
            if (isCurrent(round) && engine.wires().join().quorum().whole(view)) {
                whole = Optional.of(round);
                lapses = view.lapses();
                removeMarks(me);
                engine.look();
            }
        }
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
                    say(own);
                }
                goOnSoon();
            }
        });
    }

    /** Until it has taken part in a view that is whole, what this node remembers is what others have thrown away. */
    private boolean isForgetting(Quorum.SettledView view) {
        return view.lapses() != lapses;
    }

    private void compare(Joined me, Round round, Quorum.SettledView view) {
        var isForgetting = isForgetting(view);
        for (var name : names(me, bucket -> true)) {
            if (isForgetting) {
                copies.adopt(name, () -> me.entries().cached(name));
            } else {
                me.entries().cached(name).ifPresent(value -> copies.meet(name, value));
            }
        }
        var digests = new long[BUCKETS];
        var isOdd = new boolean[BUCKETS];
        for (var name : names(me, bucket -> true)) {
            var value = copies.get(name);
            isOdd[bucket(name)] |= !value.equals(me.entries().cached(name));
            digests[bucket(name)] += value.map(each -> digest(name, each)).orElse(0L);
        }
        for (var i = 0; i < BUCKETS; i++) {
            if (isOdd[i]) {
                digests[i] = random.nextLong();
            }
        }
        say(new Word(round, Stage.COMPARED, digests));
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

    private Set<Integer> differing(Quorum.SettledView view) {
        lock.lock();
        try {
            var found = new HashSet<Integer>();
            for (var member : view.members()) {
                var digests = Objects.requireNonNull(heard.get(member), "heard").digests;
                for (var i = 0; i < BUCKETS; i++) {
                    if (digests[i] != own.digests[i]) {
                        found.add(i);
                    }
                }
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    private boolean writeAgain(Joined me, Round round, Set<Integer> buckets) {
        return writeAll(round, names(me, buckets::contains),
                name -> me.entries().decides(name).equals(engine.channelId()) ? me.entries().writeAgain(name)
                        : CompletableFuture.completedFuture(true));
    }

    /** Writes what this node remembers, and removes what it remembers not to be there. A node that forgets takes away what it alone has. */
    private boolean putBack(Joined me, Round round, Set<Integer> buckets, boolean isForgetting) {
        return writeAll(round, names(me, buckets::contains), name -> {
            var cached = me.entries().cached(name);
            var value = isForgetting ? Optional.<StoredValue>empty() : copies.get(name);
            if (value.isPresent()) {
                return putBack(me, name, cached, value.orElseThrow());
            }
            return cached.map(old -> (isForgetting ? me.entries().replace(name, cached, old)
                    : me.entries().remove(name, old))
                    .thenCompose(isDone -> isDone ? CompletableFuture.completedFuture(true)
                            : me.entries().dropHere(name, old)))
                    .orElseGet(() -> CompletableFuture.completedFuture(true));
        });
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

    /** Writes entries, some at a time, as long as the round lasts. */
    private boolean writeAll(Round round, Set<String> names,
            Function<String, CompletableFuture<Boolean>> write) {
        var rest = new ArrayList<>(names);
        var isWhole = true;
        while (!rest.isEmpty()) {
            var some = rest.subList(0, Math.min(AT_ONCE, rest.size()));
            var writes = some.stream().map(write).toList();
            some.clear();
            var all = CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new));
            all.whenComplete((done, failed) -> engine.wake());
            if (!engine.await(PATIENCE, () -> all.isDone() || !isCurrent(round)) || !all.isDone()) {
                return false;
            }
            isWhole &= writes.stream().allMatch(each -> !each.isCompletedExceptionally() && each.join());
        }
        return isWhole && isCurrent(round);
    }

    private void say(Word word) {
        own = word;
        if (word.stage == Stage.TAKEN) {
            copies.completed(word.round.epoch);
            followed = Optional.of(word.round);
        }
        List<UUID> others;
        lock.lock();
        try {
            heard.put(engine.channelId(), word);
            others = engine.wires().join().quorum().settledView().map(view -> List.copyOf(view.members()))
                    .orElse(List.of());
        } finally {
            lock.unlock();
        }
        others.stream().filter(each -> !each.equals(engine.channelId()))
                .forEach(each -> send.accept(each, bytes(word)));
    }

    private static ByteBuffer bytes(Word word) {
        var out = ByteBuffer.allocate(8 + 4 + 1 + word.digests.length * 8).putLong(word.round.epoch)
                .putInt(word.round.topology).put((byte) word.stage.ordinal());
        Arrays.stream(word.digests).forEach(out::putLong);
        return out.flip();
    }

    private static Word word(ByteBuffer in) {
        var round = new Round(in.getLong(), in.getInt());
        var stage = Stage.values()[in.get()];
        var digests = new long[BUCKETS];
        for (var i = 0; i < BUCKETS; i++) {
            digests[i] = in.getLong();
        }
        return new Word(round, stage, digests);
    }
}
