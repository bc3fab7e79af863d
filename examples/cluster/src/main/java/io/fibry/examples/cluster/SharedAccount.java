package io.fibry.examples.cluster;

import io.fibry.ActorContext;
import io.fibry.function.ContextReplyHandler;
import java.io.IOException;

/**
 * An account. What an actor has in memory ends with its home, so this one reads its file when it begins, and writes it before it
 * answers: what was acknowledged is there, whatever happens to the node.
 */
final class SharedAccount implements ContextReplyHandler<BankCommand, Balance> {
    private final String node;
    private final AccountFile file;
    private AccountFile.Entry last;

    SharedAccount(String node, AccountFile file) throws IOException {
        this.node = node;
        this.file = file;
        last = file.read();
    }

    @Override
    public Balance handle(ActorContext<BankCommand, Balance> self, BankCommand command) throws IOException {
        switch (command) {
            case BankCommand.Deposit deposit -> {
                var next = new AccountFile.Entry(last.number() + 1, last.cents() + deposit.cents());
                try {
                    file.write(last, next);
                } catch (AccountFile.OtherWriterException overtaken) {
                    last = file.read(); // another node has been taken for the home meanwhile
                    throw overtaken;
                }
                last = next;
            }
            case BankCommand.Look look -> {
            }
        }
        return new Balance(last.cents(), last.number(), node);
    }
}
