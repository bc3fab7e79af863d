package io.fibry.examples.cluster;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterOptions;
import io.fibry.cluster.infinispan.InfinispanEngine;
import io.fibry.cluster.infinispan.InfinispanSettings;
import io.fibry.examples.cluster.RoomCommand.Heard;
import io.fibry.examples.cluster.RoomCommand.Line;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.net.Server;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A bank and a chat on three nodes, each with a page that shows all of them. The same command starts each node. Look at {@link
 * BankNode} for what is shared, at {@link SharedAccount} and {@link SharedRoom} for the actors, and at {@link Board} for what the page shows.
 */
public final class ClusterBank implements AutoCloseable {
    static final int ACCOUNTS = 12;
    static final ClusterGroup<Integer, BankCommand, Balance> ACCOUNT_GROUP = ClusterGroup.of("accounts",
            Integer.class, BankCommand.class, Balance.class, BankCommand::account);
    static final ClusterGroup<String, RoomCommand, Heard> ROOM_GROUP =
            ClusterGroup.of("rooms", String.class, RoomCommand.class, Heard.class, RoomCommand::room)
                    .with(Line.class);

    private static final Duration PATIENCE = Duration.ofHours(1);

    private final ActorScope scope =
            ActorSystem.configure("bank").closeTimeout(Duration.ofSeconds(10)).open();
    private final List<Place> places;
    private final Path books;
    private final BankPage page;
    private final Place place;
    private final Server server;
    private Optional<BankNode> node = Optional.empty();

    private ClusterBank(List<Place> places, Path books) {
        this.places = places;
        this.books = books;
        page = new BankPage(places);
        Optional<Server> found = Optional.empty();
        var free = 0;
        while (found.isEmpty()) {
            try {
                // The process that has the port of the page has the place.
                found = Optional.of(page.serve(scope, places.get(free)));
            } catch (UncheckedIOException taken) {
                if (!(taken.getCause() instanceof BindException) || ++free == places.size()) {
                    scope.close();
                    throw taken;
                }
            }
        }
        place = places.get(free);
        server = found.get();
    }

    /** Takes the first place that is free. */
    static ClusterBank start(List<Place> places, Path books) {
        return new ClusterBank(List.copyOf(places), books);
    }

    Place place() {
        return place;
    }

    /** Returns when this node has met another one. */
    void join() {
        var hosts = places.stream().map(Place::host).toList();
        var settings = InfinispanSettings.of("bank", "127.0.0.1", place.port(), hosts).joinLimit(PATIENCE);
        var joined = BankNode.join(scope, ClusterOptions.on(place.name(), new InfinispanEngine(settings)),
                places, books);
        node = Optional.of(joined);
        page.show(joined);
    }

    @Override
    public void close() {
        server.stop(Duration.ofSeconds(1));
        node.ifPresent(BankNode::close);
        scope.close();
    }

    private static List<Place> places(Options options) {
        var ports = options.text("--ports").split(",");
        var pages = options.text("--pages").split(",");
        if (ports.length != pages.length || ports.length > 26) {
            throw options.wrong("--ports and --pages want as many ports each, at most 26");
        }
        var places = new ArrayList<Place>();
        for (int i = 0; i < ports.length; i++) {
            places.add(
                    new Place("" + (char) ('a' + i), Integer.parseInt(ports[i]), Integer.parseInt(pages[i])));
        }
        return places;
    }

    /**
     * Runs a node until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var options = Options.read(args,
                new Option("--ports", "7801,7802,7803",
                        "where nodes may talk to each other; a node takes a free one"),
                new Option("--pages", "8081,8082,8083", "where their pages are"),
                new Option("--books",
                        Path.of(System.getProperty("java.io.tmpdir"), "fibry-cluster-bank").toString(),
                        "the folder of the accounts, the same for all nodes"));
        var bank = start(places(options), Path.of(options.text("--books")));
        System.out.printf("node %s: %s   start the same command in another terminal, and another one%n",
                bank.place.name(),
                bank.place.address());
        bank.join();
        System.out.printf("node %s has joined%n", bank.place.name());
        CtrlC.closes(bank);
    }
}
