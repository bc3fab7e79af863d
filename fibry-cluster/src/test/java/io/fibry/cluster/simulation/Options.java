package io.fibry.cluster.simulation;

/**
 * What may go wrong in a run.
 *
 * @param nodes number of nodes at the beginning
 * @param delay how many milliseconds a frame, a change or its announcement takes at most
 * @param drops part of the frames that are lost
 * @param repeats part of the frames that come twice
 * @param late part of the frames that take twenty times as long
 * @param reorders whether frames overtake one another
 * @param tableFaults part of the changes of tables whose outcome is not what it seems
 * @param moves how often a node joins or leaves; twice as often slices may move by load
 * @param kills how often a node is killed
 * @param cuts how often the network is cut
 * @param freezes how often a node is frozen
 * @param repeatsAsks whether some asks may be handled twice
 * @param single whether the group is that of a singleton
 * @param waits whether messages wait for room in mailboxes at times, with all behind them that are for the same slice
 * @param leases whether the membership is that of the engine on a database: without a majority, by leases
 */
record Options(int nodes, double delay, double drops, double repeats, double late, boolean reorders,
        double tableFaults,
        int moves, int kills, int cuts, int freezes, boolean repeatsAsks, boolean single, boolean waits,
        boolean leases) {
    static Options calm(int nodes) {
        return new Options(nodes, 2, 0, 0, 0, false, 0, 0, 0, 0, 0, false, false, false, false);
    }

    Options badNetwork() {
        return new Options(nodes, delay, 0.05, 0.1, 0.05, true, tableFaults, moves, kills, cuts, freezes,
                repeatsAsks, single, waits, leases);
    }

    Options badTables() {
        return new Options(nodes, delay, drops, repeats, late, reorders, 0.3, moves, kills, cuts, freezes,
                repeatsAsks, single, waits, leases);
    }

    Options moves(int count) {
        return new Options(nodes, delay, drops, repeats, late, reorders, tableFaults, count, kills, cuts,
                freezes, repeatsAsks, single, waits, leases);
    }

    Options kills(int count) {
        return new Options(nodes, delay, drops, repeats, late, reorders, tableFaults, moves, count, cuts,
                freezes, repeatsAsks, single, waits, leases);
    }

    Options cuts(int count) {
        return new Options(nodes, delay, drops, repeats, late, reorders, tableFaults, moves, kills, count,
                freezes, repeatsAsks, single, waits, leases);
    }

    Options freezes(int count) {
        return new Options(nodes, delay, drops, repeats, late, reorders, tableFaults, moves, kills, cuts,
                count, repeatsAsks, single, waits, leases);
    }

    Options withRepeats() {
        return new Options(nodes, delay, drops, repeats, late, reorders, tableFaults, moves, kills, cuts,
                freezes, true, single, waits, leases);
    }

    Options ofSingleton() {
        return new Options(nodes, delay, drops, repeats, late, reorders, tableFaults, moves, kills, cuts,
                freezes, repeatsAsks, true, waits, leases);
    }

    Options withWaits() {
        return new Options(nodes, delay, drops, repeats, late, reorders, tableFaults, moves, kills, cuts,
                freezes, repeatsAsks, single, true, leases);
    }

    Options withLeases() {
        return new Options(nodes, delay, drops, repeats, late, reorders, tableFaults, moves, kills, cuts,
                freezes, repeatsAsks, single, waits, true);
    }

    boolean losesNodes() {
        return kills + cuts + freezes > 0;
    }
}
