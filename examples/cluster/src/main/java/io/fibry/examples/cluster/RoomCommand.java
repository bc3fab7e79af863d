package io.fibry.examples.cluster;

import java.util.List;
import java.util.UUID;

/** What a room is told and asked. */
sealed interface RoomCommand {
    String room();

    /** A message from a person. */
    record Say(String room, String who, String text, long at, String node) implements RoomCommand {
    }

    /** Asks for what is said after a line. If there is nothing yet, the answer comes when there is. */
    record Listen(String room, UUID memory, long after) implements RoomCommand {
    }

    /**
     * The answer.
     *
     * @param node the node whose actor has answered
     * @param memory tells an actor of the room from the next one, which knows nothing of what was said before
     * @param last the number of the last line
     * @param lines the lines
     */
    record Heard(String node, UUID memory, long last, List<Line> lines) {
    }

    /** A message, with the name of its sender and the node whose page it came from. */
    record Line(String who, String text, long at, String node) {
    }
}
