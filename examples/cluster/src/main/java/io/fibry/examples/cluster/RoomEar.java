package io.fibry.examples.cluster;

import io.fibry.Recipient;
import io.fibry.examples.cluster.RoomCommand.Heard;
import io.fibry.examples.cluster.RoomCommand.Line;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears for all browsers of this node what is said in a room, wherever the room has its home. It asks again when it was answered, when the
 * room has moved, and when its home was lost. What it has heard it keeps, so a page shows more than a room that has begun anew.
 */
final class RoomEar implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(RoomEar.class);
    private static final int KEPT = 50;
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofMillis(200);

    /**
     * What this node has heard.
     *
     * @param home the node that was the home of the room when it last answered; empty if it has not yet
     * @param lines the last lines
     */
    record Memory(String home, List<Line> lines) {
    }

    private final String room;
    private final Recipient<RoomCommand, Heard> rooms;
    private final Thread thread;
    private UUID memory = new UUID(0, 0);
    private long last;
    private volatile Memory heard = new Memory("", List.of());

    RoomEar(String room, Recipient<RoomCommand, Heard> rooms) {
        this.room = room;
        this.rooms = rooms;
        thread = Thread.ofVirtual().name("ear of " + room).start(this::listen);
    }

    Memory heard() {
        return heard;
    }

    private void listen() {
        try {
            while (true) {
                try {
                    take(rooms.ask(new RoomCommand.Listen(room, memory, last), LIMIT).get());
                } catch (ExecutionException timeOverOrMovedOrLost) {
                    LOGGER.debug("The room {} is asked again", room, timeOverOrMovedOrLost);
                    Thread.sleep(PAUSE);
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void take(Heard news) {
        memory = news.memory();
        last = news.last();
        var all = new ArrayList<>(heard.lines());
        all.addAll(news.lines());
        heard = new Memory(news.node(), List.copyOf(all.subList(Math.max(0, all.size() - KEPT), all.size())));
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
