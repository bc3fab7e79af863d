package io.fibry.examples.cluster;

import java.util.List;

/**
 * What a page shows, as JSON.
 *
 * @param tick counts the views of this node
 * @param self the name of this node
 * @param serves whether it takes part; false if it has no lease
 * @param lease the length of a lease in milliseconds
 * @param nodes all nodes that may be there
 * @param groups the groups
 * @param accounts the accounts
 * @param load the asks of this node
 * @param room the node that is the home of the room
 * @param lines what was said
 * @param events what has happened, the newest last
 */
record View(long tick, String self, boolean serves, long lease, List<NodeView> nodes, List<GroupView> groups,
        List<AccountView> accounts, LoadView load, String room, List<RoomCommand.Line> lines,
        List<EventView> events) {
    /** A node: whether it is there, or was since this one has joined, where its page is, and how many milliseconds of its lease are left. */
    record NodeView(String name, boolean isHere, boolean wasHere, String page, long lease) {
    }

    /** A group: the name of the home of each slice, one letter each, and a dot for none. */
    record GroupView(String name, String homes) {
    }

    /** An account. Its home is empty if it has none at the moment. */
    record AccountView(int number, long cents, long entries, String home) {
    }

    /** The asks: those that were answered in a second, and the times in milliseconds. */
    record LoadView(boolean isOn, double perSecond, double median, double slowest, long acknowledged,
            long uncertain,
            long refused, long lost) {
    }

    /** Something that has happened. */
    record EventView(long number, long at, String kind, String text) {
    }
}
