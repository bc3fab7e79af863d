package io.fibry.internal.keyed;

import java.util.Collection;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The places of keyed actors, as many as their limit. An actor has its place until it has ended, or until the maker of another
 * one takes it, since this one takes no message any more. The new actor then begins at that end. Any thread may take a place.
 */
final class KeyPlaces {
    /** The number of actors at which a search for a place looks. */
    private static final int LOOKS = 64;

    /** A place for an actor. If another one has left it, the actor waits for the end of that one. */
    record Place(@Nullable KeyActor leftBy) {
        private static final Place FREE = new Place(null);
    }

    private final int most;
    private final boolean stopsIdle;
    private final Collection<KeyActor> actors;
    private final AtomicInteger taken = new AtomicInteger();
    /** Where the search for a place goes on. A thread that searches takes the iterator out during the search. */
    private final AtomicReference<@Nullable Iterator<KeyActor>> search = new AtomicReference<>();

    KeyPlaces(int most, boolean stopsIdle, Collection<KeyActor> actors) {
        this.most = most;
        this.stopsIdle = stopsIdle;
        this.actors = actors;
    }

    int taken() {
        return taken.get();
    }

    /** Takes a place for the next actor of a key; returns null if there is none. {@code before} is the key's last actor. */
    @Nullable Place take(@Nullable KeyActor before) {
        if (before != null && before.passPlace()) {
            return new Place(before);
        }
        while (true) {
            var count = taken.get();
            if (count < most) {
                if (taken.compareAndSet(count, count + 1)) {
                    return Place.FREE;
                }
            } else {
                var left = placeOfAnother();
                if (left != null) {
                    return new Place(left);
                }
                if (taken.get() >= most) {
                    return null;
                }
            }
        }
    }

    /** Takes the place of an actor that ends. One that is idle ends for that, if the actors are to make room. */
    private @Nullable KeyActor placeOfAnother() {
        KeyActor found = null;
        var all = search.getAndSet(null);
        for (int looks = 0; looks < LOOKS && found == null; looks++) {
            if (all == null || !all.hasNext()) {
                all = actors.iterator();
            }
            if (!all.hasNext()) {
                break;
            }
            var one = all.next();
            if (stopsIdle) {
                one.retireIfIdle();
            }
            if (one.isEnding() && one.passPlace()) {
                found = one;
            }
        }
        search.set(all);
        return found;
    }

    void giveBack() {
        taken.decrementAndGet();
    }
}
