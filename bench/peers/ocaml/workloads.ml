(* One workload; prints its checksum and, with --stats, a line of JSON. The algorithms are those of
   bench/workloads. *)

let bits32 = 0xffffffff
let random_seed = 2463534242

let random_after x =
  let x = x lxor (x lsl 13) land bits32 in
  let x = x lxor (x lsr 17) in
  x lxor (x lsl 5) land bits32

(* The most time that any stall_operations consecutive operations took. *)
let stall_operations = 1000
let previous = ref 0.0
let longest = ref 0.0

let stall_begin () =
  longest := 0.0;
  previous := Unix.gettimeofday ()

let stall_step () =
  let now = Unix.gettimeofday () in
  longest := Float.max !longest (now -. !previous);
  previous := now

module Binary_trees = struct
  type tree = Empty | Tree of tree * tree

  let least_depth = 4

  let rec build depth =
    if depth = 0 then Tree (Empty, Empty)
    else
      let left = build (depth - 1) in
      let right = build (depth - 1) in
      Tree (left, right)

  let rec count = function Empty -> 0 | Tree (left, right) -> 1 + count left + count right

  let run depth =
    let sum = ref (count (build (depth + 1))) in
    let lasting = build depth in
    let d = ref least_depth in
    while !d <= depth do
      for _ = 1 to 1 lsl (depth - !d + least_depth) do
        sum := !sum + count (build !d)
      done;
      d := !d + 2
    done;
    !sum + count lasting
end

module Gc_bench = struct
  type node = Empty | Node of { mutable left : node; mutable right : node; i : int; j : int }

  let least_depth = 4
  let sampled = 1000
  let node left right = Node { left; right; i = 0; j = 0 }

  let rec populate depth = function
    | Node n when depth > 0 ->
        n.left <- node Empty Empty;
        n.right <- node Empty Empty;
        populate (depth - 1) n.left;
        populate (depth - 1) n.right
    | _ -> ()

  let build_top_down depth =
    let root = node Empty Empty in
    populate depth root;
    root

  let rec build_bottom_up depth =
    if depth = 0 then node Empty Empty
    else
      let left = build_bottom_up (depth - 1) in
      let right = build_bottom_up (depth - 1) in
      node left right

  let rec count = function Empty -> 0 | Node n -> 1 + count n.left + count n.right
  let grown = function Node { left = Node _; _ } -> 1 | _ -> 0
  let size depth = (1 lsl (depth + 1)) - 1

  let reciprocals length =
    let numbers = Array.make length 0.0 in
    for i = 1 to (length / 2) - 1 do
      numbers.(i) <- 1.0 /. float_of_int i
    done;
    numbers

  let repetition stretch_depth lasting_depth length =
    let sum = ref (grown (build_bottom_up stretch_depth)) in
    let lasting = build_top_down lasting_depth in
    let numbers = reciprocals length in
    let d = ref least_depth in
    while !d <= lasting_depth do
      let trees = 2 * size stretch_depth / size !d in
      for _ = 1 to trees do
        sum := !sum + grown (build_top_down !d)
      done;
      for _ = 1 to trees do
        sum := !sum + grown (build_bottom_up !d)
      done;
      d := !d + 2
    done;
    !sum + count lasting + int_of_float ((numbers.(sampled) *. 1e6) +. 0.5)

  let run stretch_depth lasting_depth length repetitions =
    let sum = ref 0 in
    for _ = 1 to repetitions do
      sum := !sum + repetition stretch_depth lasting_depth length
    done;
    !sum
end

module Mutation = struct
  type node = Empty | Node of { mutable next : node; key : int; value : int }

  let cuts = 3 lsl 20

  let operate slots slot x k =
    match slots.(slot) with
    | Empty -> assert false
    | Node old as node ->
        if x land cuts = 0 then old.next <- Node { next = Empty; key = x lsr 1; value = k }
        else begin
          old.next <- Empty;
          slots.(slot) <- Node { next = node; key = x lsr 1; value = k }
        end

  let rec hash h = function
    | Empty -> h
    | Node n -> hash (((h * 31) + n.key + n.value) land bits32) n.next

  let run slots_log2 operations =
    let length = 1 lsl slots_log2 in
    let slots = Array.init length (fun key -> Node { next = Empty; key; value = 0 }) in
    let x = ref random_seed in
    stall_begin ();
    for k = 1 to operations do
      x := random_after !x;
      operate slots (!x land (length - 1)) !x k;
      if k mod stall_operations = 0 then stall_step ()
    done;
    Array.fold_left hash 0 slots
end

module Splay = struct
  type payload = Leaf of { array : int array; tag : int } | Branch of payload * payload

  type node = {
    mutable left : node option;
    mutable right : node option;
    payload : payload option;
    key : int;
  }

  let payload_depth, payload_numbers, sampled = (5, 10, 3)
  let root = ref None
  let random = ref random_seed

  let rec new_payload depth tag =
    if depth = 0 then Leaf { array = Array.init payload_numbers Fun.id; tag }
    else
      let left = new_payload (depth - 1) tag in
      let right = new_payload (depth - 1) tag in
      Branch (left, right)

  let rec payload_sum = function
    | Leaf leaf -> leaf.tag + leaf.array.(sampled)
    | Branch (left, right) -> payload_sum left + payload_sum right

  let rotate_right node =
    let left = Option.get node.left in
    node.left <- left.right;
    left.right <- Some node;
    left

  let rotate_left node =
    let right = Option.get node.right in
    node.right <- right.left;
    right.left <- Some node;
    right

  (* The left tree hangs right of `sides`, the right tree left of it. *)
  let splay key =
    let sides = { left = None; right = None; payload = None; key = 0 } in
    let rec go left right current =
      if key < current.key then
        let current =
          match current.left with Some l when key < l.key -> rotate_right current | _ -> current
        in
        match current.left with
        | None -> join left right current
        | Some next ->
            right.left <- Some current;
            go left current next
      else if key > current.key then
        let current =
          match current.right with Some r when key > r.key -> rotate_left current | _ -> current
        in
        match current.right with
        | None -> join left right current
        | Some next ->
            left.right <- Some current;
            go current right next
      else join left right current
    and join left right current =
      left.right <- current.left;
      right.left <- current.right;
      current.left <- sides.right;
      current.right <- sides.left;
      root := Some current
    in
    Option.iter (go sides sides) !root

  let contains key =
    splay key;
    match !root with Some node -> node.key = key | None -> false

  let insert key payload =
    splay key;
    let node = { left = None; right = None; payload = Some payload; key } in
    (match !root with
    | Some old when key > old.key ->
        node.left <- !root;
        node.right <- old.right;
        old.right <- None
    | Some old ->
        node.right <- !root;
        node.left <- old.left;
        old.left <- None
    | None -> ());
    root := Some node

  let remove key =
    splay key;
    let removed = Option.get !root in
    if removed.left = None then root := removed.right
    else begin
      root := removed.left;
      splay key;
      (Option.get !root).right <- removed.right
    end

  let rec rightmost node = match node.right with Some right -> rightmost right | None -> node

  (* The greatest key below `key`, or `key` when there is none. *)
  let key_below key =
    splay key;
    let node = Option.get !root in
    if node.key < key then node.key
    else match node.left with None -> key | Some left -> (rightmost left).key

  let rec insert_new () =
    random := random_after !random;
    let key = !random lsr 1 in
    if contains key then insert_new ()
    else begin
      insert key (new_payload payload_depth key);
      key
    end

  let rec walk h = function
    | None -> h
    | Some node ->
        let h = walk h node.left in
        let h = (h * 31) + node.key + payload_sum (Option.get node.payload) in
        walk (h land bits32) node.right

  let run nodes insertions =
    for _ = 1 to nodes do
      ignore (insert_new ())
    done;
    let h = ref 0 in
    stall_begin ();
    for _ = 1 to insertions do
      let removed = key_below (insert_new ()) in
      remove removed;
      h := ((!h * 31) + removed) land bits32;
      stall_step ()
    done;
    walk !h !root
end

(* Much that lives, and little of it changing: a tree, a hash map and arrays of numbers. *)
module Live = struct
  type tree = Empty | Tree of { left : tree; right : tree }
  type entry = None | Entry of { mutable next : entry; part : tree; key : int; value : int }

  let short_depth, array_period, least_length, lengths = (4, 64, 512, 7168)

  let rec build depth =
    if depth = 0 then Tree { left = Empty; right = Empty }
    else
      let left = build (depth - 1) in
      let right = build (depth - 1) in
      Tree { left; right }

  let rec count = function Empty -> 0 | Tree tree -> 1 + count tree.left + count tree.right

  (* Of 32 bits each, as in the other languages. *)
  let new_numbers x =
    let length = least_length + (x mod lengths) in
    let numbers = Bytes.create (4 * length) in
    for i = 0 to length - 1 do
      Bytes.set_int32_le numbers (4 * i) (Int32.of_int (x + i))
    done;
    numbers

  let number numbers i = Int32.to_int (Bytes.get_int32_le numbers (4 * i)) land bits32
  let bucket_of key bits = if bits = 0 then 0 else (key * 2654435769 land bits32) lsr (32 - bits)

  let fill_map bits tree =
    let map = Array.make (1 lsl bits) None in
    for key = 0 to (1 lsl bits) - 1 do
      let bucket = bucket_of key bits in
      map.(bucket) <- Entry { next = map.(bucket); part = tree; key; value = 0 }
    done;
    map

  let fill_table bits =
    let x = ref random_seed in
    Array.init (1 lsl bits) (fun _ ->
        x := random_after !x;
        new_numbers !x)

  let rec replace map bucket before entry key x root =
    match entry with
    | None -> assert false
    | Entry old when old.key <> key -> replace map bucket entry old.next key x root
    | Entry old -> (
        let nodes = count (build short_depth) in
        let part =
          match old.part with
          | Empty -> Empty
          | Tree part -> if x lsr 31 <> 0 then part.left else part.right
        in
        let part = match part with Empty -> root | Tree _ -> part in
        let next = Entry { next = old.next; part; key; value = old.value + nodes } in
        match before with None -> map.(bucket) <- next | Entry before -> before.next <- next)

  let replace_numbers table x =
    let i = x land (Array.length table - 1) in
    let sample = number table.(i) (x mod least_length) in
    table.(i) <- new_numbers x;
    sample

  let rec hash h = function
    | None -> h
    | Entry entry ->
        let leaf = match entry.part with Tree { left = Empty; _ } -> 1 | _ -> 0 in
        hash (((h * 31) + (entry.key lxor entry.value) + leaf) land bits32) entry.next

  let run entry_bits depth array_bits operations =
    let tree = build depth in
    let map = fill_map entry_bits tree in
    let table = fill_table array_bits in
    let x = ref random_seed and sum = ref 0 in
    stall_begin ();
    for k = 1 to operations do
      x := random_after !x;
      let key = !x land ((1 lsl entry_bits) - 1) in
      let bucket = bucket_of key entry_bits in
      replace map bucket None map.(bucket) key !x tree;
      if k mod array_period = 0 then sum := !sum + replace_numbers table !x;
      if k mod stall_operations = 0 then stall_step ()
    done;
    let map_sum = Array.fold_left hash 0 map in
    let table_sum =
      Array.fold_left (fun h n -> ((h * 31) + number n (least_length - 1)) land bits32) 0 table
    in
    ((((!sum * 31) + map_sum) * 31) + table_sum + count tree) land bits32
end

let sizes words standard =
  List.mapi
    (fun i size -> match List.nth_opt words i with Some word -> int_of_string word | None -> size)
    standard

let run name words =
  match (name, fun standard -> sizes words standard) with
  | "w1", sizes -> ( match sizes [ 18 ] with [ a ] -> Binary_trees.run a | _ -> assert false)
  | "w2", sizes -> (
      match sizes [ 18; 16; 500000; 5 ] with
      | [ a; b; c; d ] -> Gc_bench.run a b c d
      | _ -> assert false)
  | "w3", sizes -> (
      match sizes [ 20; 20000000 ] with [ a; b ] -> Mutation.run a b | _ -> assert false)
  | "w4", sizes -> (
      match sizes [ 8000; 1000000 ] with [ a; b ] -> Splay.run a b | _ -> assert false)
  | "live", sizes -> (
      match sizes [ 23; 23; 14; 5000000 ] with
      | [ a; b; c; d ] -> Live.run a b c d
      | _ -> assert false)
  | _ -> failwith ("unknown workload " ^ name)

let () =
  let words = List.tl (Array.to_list Sys.argv) in
  let statistics = List.mem "--stats" words in
  let words = List.filter (fun word -> word <> "--stats") words in
  let start = Unix.gettimeofday () in
  let checksum = run (List.hd words) (List.tl words) in
  let seconds = Unix.gettimeofday () -. start in
  Printf.printf "checksum %d\n" checksum;
  if statistics then
    Printf.printf "{\"seconds\": %.3f, \"longest_stall_ms\": %.3f}\n" seconds (!longest *. 1e3)
