package io.fibry.web.internal;

import io.fibry.net.HttpEvent;
import io.fibry.net.HttpEvents;
import io.fibry.topic.ChatMember;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * The events of a room on their way to a client of server-sent events. The thread of the request writes all of them. The
 * actor of the member waits while one is on its way, so that the others wait in the mailbox of the actor, whose limit
 * applies.
 */
final class RoomEvents {
    /** Stands for a line that clients ignore, and wakes the thread that writes. */
    private static final Optional<HttpEvent> NOTHING = Optional.empty();

    private final BlockingQueue<Optional<HttpEvent>> next = new ArrayBlockingQueue<>(1);

    /** Called by the actor of the member. */
    void put(HttpEvent event) throws InterruptedException {
        next.put(Optional.of(event));
    }

    /** Called by timers and when the membership ends. If an event waits, it serves the same purpose. */
    void wake() {
        var unused = next.offer(NOTHING);
    }

    /** Writes what comes until the membership ends. */
    void write(ChatMember<?> member, HttpEvents to) throws IOException, InterruptedException {
        try {
            do {
                var event = next.take();
                if (event.isPresent()) {
                    to.send(event.get());
                } else if (!member.onLeft().isDone()) {
                    to.ping();
                }
            } while (!member.onLeft().isDone() || !next.isEmpty());
        } finally {
            member.leave();
            next.clear(); // the actor of the member may wait for room; its handler is not called again
        }
    }
}
