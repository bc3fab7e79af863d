package io.fibry.examples.cluster;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.Recipient;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterOptions;
import io.fibry.examples.cluster.RoomCommand.Heard;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;

/** A node: it shares the accounts and the rooms. */
final class BankNode implements AutoCloseable {
    private static final String ROOM = "lobby";
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Cluster cluster;
    private final Recipient<RoomCommand, Heard> rooms;
    private final AskLoad load;
    private final RoomEar ear;
    private final Board board;
    private final Actor<Board.News, Void> shows;

    private BankNode(ActorScope scope, Cluster cluster, List<Place> places, Path books) {
        this.cluster = cluster;
        var name = cluster.self().name();
        var accounts = cluster.share(ClusterBank.ACCOUNT_GROUP, scope.named("accounts")
                .keyed(ClusterBank.ACCOUNT_GROUP.keyOf())
                .newActorsWithReturnFrom(account -> account(name, books, account)));
        rooms = cluster.share(ClusterBank.ROOM_GROUP,
                scope.named("rooms").keyed(ClusterBank.ROOM_GROUP.keyOf())
                        .newActorsWithReturnFrom(room -> new SharedRoom(name)));
        load = new AskLoad(accounts, ClusterBank.ACCOUNTS);
        ear = new RoomEar(ROOM, rooms);
        board = new Board(cluster, places, accounts, load, ear, scope.time().clock());
        shows = scope.named("board").onStart((ActorContext<Board.News, ?> context) -> context.timers()
                .fixedDelay("tick", Board.EVERY, new Board.Tick())).newActor(board);
        var unused = cluster.watch(event -> shows.sendMessage(new Board.Happened(event)));
    }

    /** Joins the cluster. Returns when this node is in. */
    static BankNode join(ActorScope scope, ClusterOptions options, List<Place> places, Path books) {
        return new BankNode(scope, Cluster.open(scope, options), places, books);
    }

    private static SharedAccount account(String node, Path books, int account) {
        try {
            return new SharedAccount(node, AccountFile.of(books, account));
        } catch (IOException e) {
            throw new UncheckedIOException("the account " + account + " cannot be read in " + books, e);
        }
    }

    Board board() {
        return board;
    }

    void load(boolean on) {
        load.turn(on);
    }

    void say(String who, String text, long at) throws ExecutionException, InterruptedException {
        var unused = rooms
                .ask(new RoomCommand.Say(ROOM, who, text, at, cluster.self().name()), LIMIT)
                .get();
    }

    @Override
    public void close() {
        load.close();
        ear.close();
        shows.close();
        cluster.close();
    }
}
