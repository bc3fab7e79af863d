package io.fibry.examples.cluster;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterOptions;
import io.fibry.durable.Durable;
import io.fibry.durable.DurableStore;
import io.fibry.durable.Identified;
import io.fibry.examples.frame.CtrlC;
import io.fibry.keyed.KeyedActors;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import java.time.Duration;
import java.util.concurrent.ExecutionException;

/**
 * A bank without a page, as {@code kubernetes.yaml} runs it: each node serves all accounts by HTTP, and PostgreSQL connects the nodes and has
 * the accounts. {@link ClusterOptions#fromEnvironment()} tells the settings.
 *
 * <p>{@code PUT /accounts/7/deposits/ID?cents=5} answers with the money of account 7. It may be sent again to any node until it is answered: a
 * deposit with the same id is made once. 503 asks for that.
 */
public final class BankService implements AutoCloseable {
    private static final int PORT = 8080;
    private static final int LONGEST_ID = 200;
    private static final Duration REQUESTS_END = Duration.ofSeconds(5);
    /** How long the node may take to hand over its accounts, and once more for its actors to end. */
    private static final Duration ACTORS_END = Duration.ofSeconds(15);
    static final Duration LONGEST_CLOSE = REQUESTS_END.plus(ACTORS_END).plus(ACTORS_END);
    private static final ClusterGroup<Integer, Command, Long> ACCOUNTS =
            ClusterGroup.of("accounts", Integer.class, Command.class, Long.class, Command::account);

    /** What an account is asked for. The answer is its money. */
    sealed interface Command {
        int account();

        record Deposit(int account, String messageId, long cents) implements Command, Identified {
        }

        record Look(int account) implements Command {
        }
    }

    private final ActorScope scope = ActorSystem.configure("bank").closeTimeout(ACTORS_END).open();
    private final DurableStore store;
    private final Cluster cluster;
    private final KeyedActors<Integer, Command, Long> accounts;
    private final Server server;

    /** Joins the nodes that are there, and then serves. */
    private BankService(String database) {
        store = DurableStore.open(database);
        cluster = Cluster.open(scope, ClusterOptions.fromEnvironment());
        accounts = cluster.share(ACCOUNTS, Durable.stateOnly(store, "accounts", Long.class, 0L).shared()
                .keyed(scope, Command.class, Long.class, ACCOUNTS.keyOf(), (self, command) -> {
                    if (command instanceof Command.Deposit deposit) {
                        self.persist(self.state() + deposit.cents());
                    }
                    return self.state();
                }));
        server = Stereotypes.with(scope.anonymous()).embeddedHttpServer(HttpOptions.port(PORT),
                HttpRoutes.none()
                        .get("/live", call -> HttpAnswer.empty(204))
                        .get("/ready", call -> HttpAnswer.empty(cluster.serves() ? 204 : 503))
                        .get("/accounts/{account}",
                                call -> ask(new Command.Look(number(call.parameter("account")))))
                        .put("/accounts/{account}/deposits/{id}", call -> ask(new Command.Deposit(
                                number(call.parameter("account")), id(call.parameter("id")), cents(call)))));
    }

    private HttpAnswer ask(Command command) throws InterruptedException {
        try {
            return HttpAnswer.text(accounts.sendMessageReturn(command).get() + "\n");
        } catch (ExecutionException perhapsNotDone) {
            throw new HttpProblem(503, "send it again with the same id", perhapsNotDone);
        }
    }

    private static int cents(HttpCall call) {
        return number(call.query("cents").orElse("none"));
    }

    static String id(String text) {
        if (text.length() > LONGEST_ID) {
            throw new HttpProblem(400, "an id has at most " + LONGEST_ID + " characters");
        }
        return text;
    }

    static int number(String text) {
        if (!text.matches("[0-9]{1,9}")) {
            throw new HttpProblem(400, "a number of at most nine digits is wanted, not '" + text + "'");
        }
        return Integer.parseInt(text);
    }

    /** Answers the requests that it has, hands over the accounts to the other nodes, and ends. */
    @Override
    public void close() {
        server.stop(REQUESTS_END);
        cluster.close();
        scope.close();
        store.close();
    }

    /**
     * Runs a node until Ctrl-C or SIGTERM.
     *
     * @param args none
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var database = System.getenv("FIBRY_CLUSTER");
        if (database == null) {
            System.err.println(
                    "FIBRY_CLUSTER is not set: it names the database, as jdbc:postgresql://host/bank");
            System.exit(1);
        }
        CtrlC.closes(new BankService(database));
    }
}
