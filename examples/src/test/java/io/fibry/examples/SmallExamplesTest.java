package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(120)
@ExtendWith(ThreadsLeft.class)
class SmallExamplesTest {
    @Test
    void askedActorsAnswer() throws Exception {
        assertThat(Printed.by(Hello::main)).containsExactly("7 squared is 49",
                "3 squared and 4 squared make 25", "squares: [1, 4, 9]", "half of 5: 5 is odd",
                "cubes: [8, 27]",
                "guests: Bob, Ann", "late got: kept for you");
    }

    @Test
    void anAccountKeepsEveryCent() throws Exception {
        assertThat(Printed.by(Account::main)).containsExactly(
                "after 4,000 deposits: Balance[cents=20000]",
                "withdraw 15,000: Balance[cents=5000]",
                "withdraw 15,000: Refused[why=only 5000 cents are there, not 15000]");
    }

    @Test
    void aBankLosesNoMoneyAndNobodySeesHalfATransfer() throws Exception {
        assertThat(Printed.by(Bank::main)).containsExactly(
                "ann pays bob 300 of 1,000: Balance[cents=700]",
                "ann pays bob 800 of 700: Refused[why=only 700 cents are there, not 800]",
                "while 4,000 transfers were made, each of 100 audits found 20,000 cents in 20 accounts",
                "after that: 20,000 cents");
    }

    @Test
    void aLibraryAnswersInManyWays() throws Exception {
        assertThat(Printed.by(Library::main)).containsExactly("Emma is on shelf 3", "Dracula is on shelf 7",
                "2 new books are on [shelf 1, shelf 2]", "Emma has moved to shelf 3, upstairs",
                "lent: Emma for Ann", "Bob waits: true",
                "lent: Emma for Bob",
                "found Dracula: shelf 7, upstairs", "hello Eve, where do you live?",
                "Eve of York is a member now",
                "lent: Dracula for Tom");
    }

    @Test
    void aWorkshopChoosesTheOrderOfItsWork() throws Exception {
        assertThat(Printed.by(Workshop::main)).containsExactly("the workshop is open",
                "the mechanic needs a chain", "the old bicycle gets a chain", "the old bicycle is repaired",
                "the ambulance bicycle is repaired", "the racing bicycle is repaired",
                "the tandem is repaired",
                "too late: Offer[text=tyres at half the price, today only]",
                "not done: Repair[customer=Tom, bicycle=folding bicycle], sent from day",
                "Tom hears: nobody here can repair a folding bicycle", "the mechanic has handled 5 notes",
                "to order: 1 chain", "to order: 4 oil",
                "Ann is billed for old bicycle and tandem", "Eve is billed for ambulance bicycle",
                "Bob is billed for racing bicycle");
    }

    @Test
    void aReceivingActorTakesTheMessageItWantsNext() throws Exception {
        assertThat(Printed.by(Ping::main)).containsExactly("ping 1", "pong 1", "ping 2", "pong 2", "ping 3",
                "pong 3", "thanks to the audience, round 1", "thanks to the audience, round 2",
                "thanks to the audience, round 3");
    }

    @Test
    void usersWriteTheirOwnStrategies() throws Exception {
        var printed = Printed.by(OwnStrategy::main);

        assertThat(printed).hasSize(2);
        assertThat(printed.get(0)).isEqualTo("background-indexer indexed page 1");
        assertThat(printed.get(1)).matches("counted to 10 in ([1-9]|10) turns");
    }
}
