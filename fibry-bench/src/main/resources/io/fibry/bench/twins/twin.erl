%% The same experiments in Erlang: processes and their mailboxes.
%% usage: twin:main([Experiment, Case, Count, Rounds]); prints the nanoseconds of each round, the first warms up.
-module(twin).
-behaviour(gen_server).
-export([main/1, init/1, handle_call/3, handle_cast/2]).

main([Experiment, Case, Count, Rounds]) ->
    [Which, Many, Times] = [list_to_integer(Text) || Text <- [Case, Count, Rounds]],
    _ = round_of(Experiment, Which, Many),
    [io:format("~b~n", [round_of(Experiment, Which, Many)]) || _ <- lists:seq(1, Times)],
    halt(0).

%% Each round is a process of its own: its heap is gone after it.
round_of(Experiment, Which, Many) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit({took, measure(Experiment, Which, Many)}) end),
    receive
        {'DOWN', Monitor, process, Pid, {took, Native}} ->
            erlang:convert_time_unit(Native, native, nanosecond);
        {'DOWN', Monitor, process, Pid, Why} ->
            io:format(standard_error, "~p~n", [Why]),
            halt(1)
    end.

measure("create", _, Count) -> create(Count);
measure("ask", _, Count) -> ask(Count);
measure("ring", Size, Count) -> ring(Size, Count);
measure("flood", Senders, Count) -> flood(Senders, Count);
measure("skynet", _, Count) -> skynet(Count).

now_native() -> erlang:monotonic_time().

%% Makes processes that wait, and keeps them. Their end is not measured.
create(Count) ->
    Start = now_native(),
    Kept = [spawn(fun waiting/0) || _ <- lists:seq(1, Count)],
    Took = now_native() - Start,
    Count = length(Kept),
    lists:foreach(fun(I) ->
        Pid = lists:nth(I, Kept),
        Pid ! {self(), I},
        receive {Pid, I} -> ok end
    end, lists:seq(1, Count, max(1, Count div 10))),
    Monitors = [erlang:monitor(process, Pid) || Pid <- Kept],
    [Pid ! stop || Pid <- Kept],
    [receive {'DOWN', Monitor, process, _, _} -> ok end || Monitor <- Monitors],
    Took.

waiting() ->
    receive
        stop -> ok;
        {From, Message} -> From ! {self(), Message}, waiting()
    end.

%% Asks for squares, one after the other, as the OTP guide advises: gen_server:call.
init(no_state) -> {ok, no_state}.
handle_call(Number, _From, State) -> {reply, Number * Number, State}.
handle_cast(_, State) -> {noreply, State}.

ask(Asks) ->
    Start = now_native(),
    {ok, Server} = gen_server:start(?MODULE, no_state, []),
    Sum = ask(Server, 0, Asks, 0),
    Took = now_native() - Start,
    gen_server:stop(Server),
    N = Asks - 1,
    Sum = N * (N + 1) * (2 * N + 1) div 6,
    Took.

ask(_, Asks, Asks, Sum) -> Sum;
ask(Server, I, Asks, Sum) -> ask(Server, I + 1, Asks, Sum + gen_server:call(Server, I, infinity)).

%% Hands one message on; all are made before. Each counts, so that the sum can be checked.
ring(Size, Hops) ->
    Main = self(),
    Last = spawn(fun() -> receive {next, Next} -> member(Next, Main, 0) end end),
    First = lists:foldl(fun(_, Next) -> spawn(fun() -> member(Next, Main, 0) end) end,
                        Last, lists:seq(2, Size)),
    Last ! {next, First},
    Start = now_native(),
    First ! Hops,
    receive done -> ok end,
    Took = now_native() - Start,
    First ! {stop, Size, 0},
    receive {handed_on, Hops} -> ok end,
    Took.

member(Next, Main, HandedOn) ->
    receive
        0 -> Main ! done, member(Next, Main, HandedOn);
        {stop, 1, Sum} -> Main ! {handed_on, Sum + HandedOn};
        {stop, Left, Sum} -> Next ! {stop, Left - 1, Sum + HandedOn};
        Left -> Next ! Left - 1, member(Next, Main, HandedOn + 1)
    end.

%% Sends from some to one as fast as they can, until all is handled.
flood(Senders, Messages) ->
    Main = self(),
    Start = now_native(),
    Receiver = spawn(fun() -> handle(Messages), Main ! done, receive Message -> exit({too_many, Message}) after 10 -> Main ! none end end),
    [spawn(fun() -> send(Receiver, Messages div Senders) end) || _ <- lists:seq(1, Senders)],
    receive done -> ok end,
    Took = now_native() - Start,
    receive none -> ok end,
    Took.

handle(0) -> ok;
handle(Left) -> receive {message, _} -> handle(Left - 1) end.

send(_, 0) -> ok;
send(Receiver, Left) -> Receiver ! {message, Left}, send(Receiver, Left - 1).

%% A tree of processes that each start ten, whose leaves' numbers are added up.
skynet(Leaves) ->
    Main = self(),
    Start = now_native(),
    spawn(fun() -> leaf_or_ten(Main, 0, Leaves) end),
    Sum = receive Number -> Number end,
    Took = now_native() - Start,
    Sum = Leaves * (Leaves - 1) div 2,
    Took.

leaf_or_ten(Parent, First, 1) -> Parent ! First;
leaf_or_ten(Parent, First, Size) ->
    Self = self(),
    Part = Size div 10,
    [spawn(fun() -> leaf_or_ten(Self, First + I * Part, Part) end) || I <- lists:seq(0, 9)],
    Parent ! lists:sum([receive Number -> Number end || _ <- lists:seq(1, 10)]).
