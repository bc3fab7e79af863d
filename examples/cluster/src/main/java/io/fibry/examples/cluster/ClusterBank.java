package io.fibry.examples.cluster;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.cluster.ClusterException;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterOptions;
import io.fibry.cluster.database.DatabaseSettings;
import io.fibry.examples.cluster.RoomCommand.Heard;
import io.fibry.examples.cluster.RoomCommand.Line;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.net.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.nio.file.Files;
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

    /** The one that a cluster has if nobody says another one: the page shows what is left of it. */
    static final Duration LEASE = Duration.ofSeconds(3);

    private static final String FILE = "file:";
    private static final int HIGHEST_PORT = 65_535;

    private final ActorScope scope =
            ActorSystem.configure("bank").closeTimeout(Duration.ofSeconds(10)).open();
    private final List<Place> places;
    private final String database;
    private final Path books;
    private final BankPage page;
    private final Place place;
    private final Server server;
    private Optional<BankNode> node = Optional.empty();

    private ClusterBank(List<Place> places, String database, Path books) {
        this.places = places;
        this.database = database;
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
    static ClusterBank start(List<Place> places, String database, Path books) {
        return new ClusterBank(List.copyOf(places), database, books);
    }

    Place place() {
        return place;
    }

    /** Joins the nodes that are there, if any. */
    void join() throws IOException {
        if (database.startsWith(FILE)) {
            Files.createDirectories(Path.of(database.substring(FILE.length())).toAbsolutePath().getParent());
        }
        var settings = DatabaseSettings.of(database).cluster("bank").lease(LEASE);
        var joined = BankNode.join(scope, ClusterOptions.on(settings).name(place.name()), places, books);
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
        var pages = options.text("--pages").split(",");
        if (pages.length > 26) {
            throw options.wrong("--pages has more than 26 ports");
        }
        var places = new ArrayList<Place>();
        for (int i = 0; i < pages.length; i++) {
            int port = pages[i].matches("[0-9]{1,5}") ? Integer.parseInt(pages[i]) : 0;
            if (port < 1 || port > HIGHEST_PORT) {
                throw options.wrong("--pages wants ports, as 8081,8082, not '" + pages[i] + "'");
            }
            places.add(new Place("" + (char) ('a' + i), port));
        }
        return places;
    }

    /**
     * Runs a node until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     * @throws IOException if the folder of the database cannot be made
     */
    public static void main(String[] args) throws InterruptedException, IOException {
        var folder = Path.of(System.getProperty("java.io.tmpdir"), "fibry-cluster-bank");
        var options = Options.read(args,
                new Option("--database", FILE + folder.resolve("cluster.db"),
                        "what the nodes have in common: a file, or jdbc:postgresql://host/database?user=u&password=p"),
                new Option("--pages", "8081,8082,8083",
                        "where the pages of the nodes are; a node takes a free one"),
                new Option("--books", folder.toString(),
                        "the folder of the accounts, the same for all nodes"));
        var bank = start(places(options), options.text("--database"), Path.of(options.text("--books")));
        try {
            bank.join();
        } catch (ClusterException | IllegalArgumentException failed) { // the latter for a database of another kind
            bank.close();
            System.err.println(failed.getMessage());
            System.exit(1);
        }
        System.out.printf("node %s: %s   start the same command in another terminal, and another one%n",
                bank.place.name(), bank.place.address());
        CtrlC.closes(bank);
    }
}
