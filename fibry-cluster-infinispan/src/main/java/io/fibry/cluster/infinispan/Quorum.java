package io.fibry.cluster.infinispan;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides which members are the majority. Infinispan decides by itself too, but a node that loses the others one after another takes each rest for a
 * majority of the one before, and completes changes while it finds out. So a change is acknowledged only in a view that is <em>settled</em>
 * (all its members have told one another that they have installed it, and it has the majority of the whole view before) and then <em>whole</em>: all its members
 * have the newest entries ({@link Reconciliation}).
 *
 * <p>There are two rounds until a view is settled, since a member may be lost in the middle. In the first each tells the whole view that it knows. In the second each
 * tells that it is about to settle this one; from then on it also asks for the majority of this one, until it knows a later one that is whole. So
 * no two views are settled side by side, and what follows on a view that any member took for whole has most of its members. Thread-safe.
 */
final class Quorum {
    private final UUID self;
    private final int minimum;
    private final BiConsumer<UUID, ByteBuffer> send;
    /** Guards what was heard and what is settled. */
    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private final Map<UUID, Voice> heard = new HashMap<>();
    private final Set<UUID> gone = new HashSet<>();
    private final Set<UUID> dead = new HashSet<>();
    private final List<Settled> attempts = new ArrayList<>();
    /** What was known of whole views and attempts when each of the own attempts was made. */
    private final Map<Settled, Set<Settled>> knownAt = new HashMap<>();
    private Settled last = new Settled(0, Set.of());
    private Optional<Voice> own = Optional.empty();
    private Set<UUID> members = Set.of();
    private boolean isRest;
    private int absences;
    private boolean isLapsed;
    /** The members that have spoken since this process was away; empty if it was not, or most of them have. */
    private Optional<Set<UUID>> back = Optional.empty();
    /**
     * Written under the lock. Cleared before Infinispan knows of another view, since JGroups tells this module
     * first.
     */
    private volatile Optional<SettledView> view = Optional.empty();
    /** Written under the lock. */
    private CompletableFuture<Set<UUID>> settled = new CompletableFuture<>();

    /** A view of which all members knew that it is a majority. Of two settled views the later one has the higher epoch. */
    private record Settled(long epoch, Set<UUID> members) {}

    /**
     * The current view, once it is settled. Of two settled views the later one has the higher number, at all members: a member of the later one
     * had installed the earlier one, and no member installs a view with a lower number after that.
     *
     * @param number the number that JGroups has given it
     * @param epoch a number that no other settled view has
     * @param members the members
     * @param absences how often others had a whole view without this node, as it has been told by them
     */
    record SettledView(long number, long epoch, Set<UUID> members, int absences) {}

    /** What a member says about a view: what it knows, which members have announced that they leave, which are dead, and whether it is about to settle. */
    private record Voice(UUID creator, long number, boolean isAttempt, Settled last, List<Settled> attempts,
            Set<UUID> gone,
            Set<UUID> dead) {
        boolean isOf(Voice other) {
            return number == other.number && creator.equals(other.creator);
        }

        /** Returns the highest epoch that this member has known before this view. */
        long newestBefore() {
            var before = isAttempt ? attempts.subList(0, attempts.size() - 1) : attempts;
            return Math.max(last.epoch, before.stream().mapToLong(Settled::epoch).max().orElse(0));
        }
    }

    Quorum(UUID self, int minimum, BiConsumer<UUID, ByteBuffer> send) {
        this.self = self;
        this.minimum = minimum;
        this.send = send;
    }

    /**
     * A view was installed. One that is not newer than all before is ignored: when a channel is opened, its first view may be told after the
     * second, and the others would wait for ever for a voice about the second.
     */
    void viewChanged(UUID creator, long number, Set<UUID> now) {
        lock.lock();
        try {
            // mutant: view-that-comes-too-late-is-taken
            if (own.isPresent() && number <= own.orElseThrow().number) {
                return;
            }
            members = now;
            back = Optional.empty(); // all members speak about the new view
            settled = new CompletableFuture<>();
            view = Optional.empty();
            own = Optional.of(new Voice(creator, number, false, last, List.copyOf(attempts), Set.copyOf(gone),
                    Set.copyOf(dead)));
            heard.keySet().retainAll(now);
            say(false);
            advance();
        } finally {
            lock.unlock();
        }
    }

    /** A member has said goodbye, and decides nothing any more. */
    void saidGoodbye(UUID member) {
        learned(gone, Set.of(member));
    }

    /**
     * The processes of these are known to have ended.
     *
     * @return whether that is news
     */
    boolean died(Set<UUID> those) {
        return learned(dead, those);
    }

    private boolean learned(Set<UUID> where, Set<UUID> what) {
        lock.lock();
        try {
            var isNew = where.addAll(what);
            if (isNew) {
                own = own.map(
                        said -> new Voice(said.creator, said.number, said.isAttempt, said.last, said.attempts,
                                Set.copyOf(gone), Set.copyOf(dead)));
                if (!settled.isDone()) {
                    say(false);
                }
                advance();
            }
            return isNew;
        } finally {
            lock.unlock();
        }
    }

    /**
     * This process did not run for so long that the others may have gone on without it. Until most members of its view have told it that they are still in that
     * view, it is in doubt.
     */
    void wasAway() {
        lock.lock();
        try {
            if (members.size() > 1) {
                // mutant: process-that-was-away-goes-on
                back = Optional.of(new HashSet<>(Set.of(self)));
                say(true);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the others may have gone on without this process, which was away. */
    boolean isInDoubt() {
        lock.lock();
        try {
            return back.isPresent();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Tells the others again, since what was told before may have come too early for them, and asks them to do the same. Does nothing in a settled view that is
     * not in doubt.
     */
    void sayAgain() {
        lock.lock();
        try {
            if (!settled.isDone() || back.isPresent()) {
                say(true);
            }
        } finally {
            lock.unlock();
        }
    }

    private void say(boolean isAsking) {
        own.ifPresent(voice -> {
            heard.put(self, voice);
            members.stream().filter(each -> !each.equals(self))
                    .forEach(each -> send.accept(each, bytes(voice, isAsking)));
        });
    }

    /**
     * Another member speaks. This one answers if it is asked to, since its own voice may have been missed.
     *
     * @return whether this one was in doubt, and is not any more
     */
    boolean heard(UUID from, ByteBuffer bytes) {
        var isAsking = bytes.get() != 0;
        var voice = voice(bytes);
        lock.lock();
        try {
            var before = heard.get(from);
            // mutant: word-that-comes-too-late-is-taken
            if (before == null || !before.isOf(voice) || !before.isAttempt || voice.isAttempt) {
                heard.put(from, voice);
            }
            if (isAsking && members.contains(from)) {
                // mutant: answer-is-a-question
                own.filter(mine -> mine.isOf(voice))
                        .ifPresent(mine -> send.accept(from, bytes(mine, false)));
            }
            advance();
            return isBack(from, voice);
        } finally {
            lock.unlock();
        }
    }

    private boolean isBack(UUID from, Voice voice) {
        if (back.isEmpty() || own.filter(voice::isOf).isEmpty()) {
            return false;
        }
        var spoken = back.orElseThrow();
        spoken.add(from);
        spoken.retainAll(members);
        // mutant: one-voice-brings-a-process-back
        var isMost = spoken.size() * 2 > members.size();
        if (isMost) {
            back = Optional.empty();
        }
        return isMost;
    }

    private void advance() {
        if (own.isEmpty() || settled.isDone()) {
            return;
        }
        var mine = own.orElseThrow();
        var all = new ArrayList<Voice>();
        for (var each : members) {
            var voice = heard.get(each);
            if (voice == null || !voice.isOf(mine)) {
                return;
            }
            all.add(voice);
        }
        var before = all.stream().map(Voice::last)
                .reduce((one, other) -> one.epoch >= other.epoch ? one : other).orElseThrow();
        var goodbyes = new HashSet<UUID>();
        var ended = new HashSet<UUID>();
        all.forEach(each -> {
            goodbyes.addAll(each.gone);
            ended.addAll(each.dead);
        });
        var isFirst = before.epoch == 0;
        // mutant: first-view-needs-no-minimum
        var isMajority = isFirst ? members.size() >= minimum : isMajority(before.members, goodbyes, ended);
        for (var each : all) {
            for (var attempt : each.attempts) {
                // mutant: attempt-does-not-count
                isMajority &= attempt.epoch <= before.epoch || isMajority(attempt.members, goodbyes, ended);
            }
        }
        if (!isMajority) {
            return;
        }
        if (!mine.isAttempt) {
            // mutant: two-views-have-one-epoch
            var next =
                    new Settled(1 + all.stream().mapToLong(Voice::newestBefore).max().orElseThrow(), members);
            if (before.epoch > last.epoch && !attempts.contains(before)) {
                absences++;
                // If one of the own attempts was whole later than that view, both have a member in common, which has told of that view.
                // mutant: attempt-hides-a-lapse
                isLapsed |= attempts.stream()
                        .noneMatch(each -> knownAt.getOrDefault(each, Set.of()).contains(before));
            } else if (before.epoch > last.epoch) {
                isLapsed = false;
            }
            last = before;
            attempts.removeIf(each -> each.epoch <= before.epoch);
            attempts.add(next);
            knownAt.keySet().retainAll(attempts);
            knownAt.put(next,
                    all.stream().flatMap(each -> Stream.concat(Stream.of(each.last), each.attempts.stream()))
                            .collect(Collectors.toSet()));
            own = Optional.of(
                    new Voice(mine.creator, mine.number, true, last, List.copyOf(attempts), Set.copyOf(gone),
                            Set.copyOf(dead)));
            say(false);
            advance();
            // mutant: first-round-is-the-last
        } else if (all.stream().allMatch(Voice::isAttempt)) {
            isRest = before.members.containsAll(members);
            view = Optional.of(
                    new SettledView(mine.number, attempts.getLast().epoch, members, absences));
            settled.complete(members);
        }
    }

    /**
     * All members of this view have the newest entries, so changes may begin in it.
     *
     * @return false if it is not the current view any more
     */
    boolean whole(SettledView those) {
        lock.lock();
        try {
            // mutant: view-that-is-over-becomes-whole
            if (!view.equals(Optional.of(those))) {
                return false;
            }
            last = new Settled(those.epoch, those.members);
            isLapsed = false;
            attempts.clear();
            knownAt.clear();
            gone.retainAll(members);
            dead.clear();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Half is enough only if the other half is dead: it can then not have gone on. */
    private boolean isMajority(Set<UUID> of, Set<UUID> goodbyes, Set<UUID> ended) {
        var rest = new HashSet<>(of);
        // mutant: node-that-has-left-is-missed
        rest.removeIf(each -> goodbyes.contains(each) && !members.contains(each));
        var here = rest.stream().filter(members::contains).count();
        var isHalf = here * 2 == rest.size() && !rest.isEmpty();
        // mutant: half-is-a-majority
        // mutant: dead-half-is-waited-for
        return here * 2 > rest.size()
                || (isHalf && rest.stream().allMatch(each -> members.contains(each) || ended.contains(each)));
    }

    /** Returns what is completed when the current view is settled, with its members; a later view has another one. */
    CompletableFuture<Set<UUID>> settled() {
        lock.lock();
        try {
            return settled;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the current view, if it is settled. */
    Optional<SettledView> settledView() {
        return view;
    }

    /**
     * Returns whether others had a whole view, and since then this node has been in no view that is whole, or may be. What this node remembers of the tables may
     * have been removed then.
     */
    boolean isLapsed() {
        lock.lock();
        try {
            return isLapsed;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the current view has the majority as far as this node knows, settled or not. */
    boolean isLikely() {
        lock.lock();
        try {
            return settled.isDone() || (last.epoch > 0 && isMajority(last.members, gone, dead));
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether members were lost and none has come, and the rest has no majority. */
    boolean isMinority() {
        lock.lock();
        try {
            return !settled.isDone() && last.members.containsAll(members)
                    && !isMajority(last.members, gone, dead);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the current view is settled, and all of its members were members of the whole view before. */
    boolean isRest() {
        lock.lock();
        try {
            return settled.isDone() && isRest;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether members were lost and none has come, and the rest has the majority: as far as this node knows, or because the view is settled. No
     * other part can have one then.
     */
    boolean isLikelyRest() {
        lock.lock();
        try {
            return settled.isDone() ? isRest
                    : last.epoch > 0 && last.members.containsAll(members)
                            && isMajority(last.members, gone, dead);
        } finally {
            lock.unlock();
        }
    }

    /** The members that are missing where exactly half of a view is missing that has to have its majority here, without those who have left. */
    Set<UUID> missingHalves() {
        lock.lock();
        try {
            var found = new HashSet<UUID>();
            Stream.concat(Stream.of(last), attempts.stream()).forEach(each -> {
                var rest = new HashSet<>(each.members);
                rest.removeIf(one -> gone.contains(one) && !members.contains(one));
                var missing = new HashSet<>(rest);
                missing.removeAll(members);
                if (missing.size() * 2 == rest.size()) {
                    found.addAll(missing);
                }
            });
            return found;
        } finally {
            lock.unlock();
        }
    }

    /** Returns what this node knows, for people. */
    String state() {
        lock.lock();
        try {
            return (back.isPresent() ? "in doubt, " : "") + "view " + own.map(Voice::number) + " of "
                    + members + ", settled " + settled.isDone()
                    + ", last whole "
                    + last + ", attempts " + attempts + ", heard "
                    + heard.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue().number + " "
                            + each.getValue().isAttempt).toList()
                    + ", gone " + gone + ", dead " + dead;
        } finally {
            lock.unlock();
        }
    }

    private static ByteBuffer bytes(Voice voice, boolean isAsking) {
        var sets = new ArrayList<Set<UUID>>(
                List.of(Set.of(voice.creator), voice.gone, voice.dead, voice.last.members));
        voice.attempts.forEach(each -> sets.add(each.members));
        var size = 1 + 8 + 1 + 8 + 4 + voice.attempts.size() * 8
                + sets.stream().mapToInt(each -> 4 + each.size() * 16).sum();
        var out = ByteBuffer.allocate(size).put((byte) (isAsking ? 1 : 0)).putLong(voice.number)
                .put((byte) (voice.isAttempt ? 1 : 0))
                .putLong(voice.last.epoch)
                .putInt(voice.attempts.size());
        voice.attempts.forEach(each -> out.putLong(each.epoch));
        for (var set : sets) {
            out.putInt(set.size());
            set.forEach(each -> out.putLong(each.getMostSignificantBits())
                    .putLong(each.getLeastSignificantBits()));
        }
        return out.flip();
    }

    private static Voice voice(ByteBuffer in) {
        var number = in.getLong();
        var isAttempt = in.get() != 0;
        var epoch = in.getLong();
        var epochs = new long[in.getInt()];
        for (var i = 0; i < epochs.length; i++) {
            epochs[i] = in.getLong();
        }
        var creator = set(in).iterator().next();
        var gone = set(in);
        var dead = set(in);
        var last = new Settled(epoch, set(in));
        var attempts = new ArrayList<Settled>();
        for (var each : epochs) {
            attempts.add(new Settled(each, set(in)));
        }
        return new Voice(creator, number, isAttempt, last, attempts, gone, dead);
    }

    private static Set<UUID> set(ByteBuffer in) {
        var found = new HashSet<UUID>();
        for (var i = in.getInt(); i > 0; i--) {
            found.add(new UUID(in.getLong(), in.getLong()));
        }
        return Set.copyOf(found);
    }
}
